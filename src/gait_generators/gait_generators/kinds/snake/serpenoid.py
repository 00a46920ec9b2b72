"""The serpenoid inchworm gaits of the snake: a wave that rises at the tail, travels to the head, and sinks there.

A cycle has N - n + 2 intervals of equal length. In the first the wave grows on links 1 to n, in the last it shrinks
on links N - n + 1 to N. In those between, which the paper describes, it moves on by one link each. The pace within an
interval is a quintic, so that the joints rest at both ends and accelerations are continuous. At the paper's own, even
pace the rates of (8) jump from one step to the next.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from crawler_core.errors import UserError
from crawler_core.motion import Sample, ease
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_models.snake.waves.wave import MIN_LINKS, Angles, Wave
from gait_generators.kinds.gait import LimitHints
from gait_generators.kinds.gait_entry import GaitEntry


@dataclass(frozen=True)
class SerpenoidParameters:
    n: int = parameter(4, lower=4, upper=28, doc="links that form the wave, at most two less than the snake has")
    alpha: float = parameter(
        45.0, unit="deg", lower=1.0, upper=75.0, doc="amplitude of the wave's joint angles, below 180° tan(90°/n)"
    )
    omega: float = parameter(
        1.0, unit="rad/s", lower=0.05, upper=10.0, doc="mean omega_2: the wave moves on by a link in pi / (2 omega)"
    )
    direction: str = parameter("forward", choices=("forward", "backward"), doc="backward: the same in reverse")
    pace: str = parameter(
        "eased",
        choices=("eased", "even"),
        doc="eased: the joints rest between steps; even: the paper's own (8), whose rates jump there",
    )


@dataclass(frozen=True)
class Serpenoid:
    """The joint angles of a snake of `links` links on which `wave` travels; straight at t = 0."""

    limit_hints: ClassVar[LimitHints] = LimitHints(
        above="lower gait.alpha",
        below="lower gait.alpha",
        fast="lower gait.omega or gait.alpha",
        ground="lower gait.alpha, or choose the gait serpenoid_closed, which never stands on the tips alone",
    )

    wave: Wave
    links: int  # N
    omega: float  # rad/s
    backward: bool
    even: bool = False  # the pace of (8), which has no accelerations where its rates jump

    @staticmethod
    def of(spec: RobotSpec, parameters: SerpenoidParameters, *, closed: bool = False) -> Serpenoid:
        """Return the gait for a robot; the wave of a `closed` one keeps its length and level.

        Raises UserError for a wave that does not exist or does not fit on the snake.
        """
        links, n = len(spec.actuated) + 1, parameters.n
        if n > links - 2:
            longest = f"at most {links - 2}" if links - 2 >= MIN_LINKS else f"at least {MIN_LINKS}, which needs 6 links"
            raise UserError(
                f"gait.n = {n} is too many links for a wave on {spec.name}, which has {links}: it must be {longest}."
            )
        try:
            wave = Wave(n, math.radians(parameters.alpha), closed)
        except ValueError as error:
            raise UserError(f"gait.{error}") from None
        backward, even = parameters.direction == "backward", parameters.pace == "even"
        return Serpenoid(wave, links, parameters.omega, backward, even)

    @property
    def interval(self) -> float:
        """Return the time (s) in which the wave moves on by one link, or grows, or shrinks."""
        return 0.5 * math.pi / self.omega

    @property
    def intervals(self) -> int:
        """Return the intervals of a cycle: the wave grows, moves on N - n times, and shrinks."""
        return self.links - self.wave.n + 2

    @property
    def period(self) -> float:
        return self.intervals * self.interval

    def sample(self, t: Any) -> Sample:
        sign = -1.0 if self.backward else 1.0
        phase = np.mod(sign * np.asarray(t, dtype=float) / self.interval, self.intervals)
        which = np.minimum(phase.astype(int), self.intervals - 1)
        s, ds, dds = (_even if self.even else _eased)(phase - which, self.interval)
        position, velocity, acceleration = (np.zeros((*phase.shape, self.links - 1)) for _ in range(3))
        for k in np.unique(which):
            here = which == k
            window = self._window(int(k), s[here])
            joints, angles = self._place(int(k))
            value, first, second = (values[..., angles] for values in window)
            rate, gain = ds[here][..., np.newaxis], dds[here][..., np.newaxis]
            position[here, joints] = value
            velocity[here, joints] = sign * first * rate
            acceleration[here, joints] = second * rate**2 + first * gain
        return Sample(position, velocity, acceleration)

    def _window(self, which: int, s: FloatArray) -> Angles:
        """Return J_1 to J_(n+2) within an interval, with derivatives by s."""
        if 0 < which < self.intervals - 1:
            return self.wave.angles(s)
        shape, none = self._standing, np.zeros((*s.shape, self.wave.n + 2))
        grown = s if which == 0 else 1.0 - s
        return Angles(grown[..., np.newaxis] * shape, none + (shape if which == 0 else -shape), none)

    @cached_property
    def _standing(self) -> FloatArray:
        """Return J_1 to J_(n+2) between two steps; they are proportional to alpha, and the other links lie flat."""
        return self.wave.angles(0.0).value

    def _place(self, which: int) -> tuple[slice, slice]:
        """Return the joints that an interval moves, and their part of J_1 to J_(n+2): q_(k+i-1) = J_i, i = 1, 2, ..."""
        k = max(which - 1, 0)
        first, last = max(k, 1), min(k + self.wave.n + 1, self.links - 1)  # the tips have no joint
        return slice(first - 1, last), slice(first - k, last - k + 1)


GAIT_ENTRY = GaitEntry(SerpenoidParameters, Serpenoid.of, models=("snake",))
CLOSED_GAIT = GaitEntry(SerpenoidParameters, partial(Serpenoid.of, closed=True), models=("snake",))


def _even(u: FloatArray, interval: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return s, and its derivatives by time, for the share u of an interval: omega_2 t = s pi / 2 in (8)."""
    return u, np.full_like(u, 1.0 / interval), np.zeros_like(u)


def _eased(u: FloatArray, interval: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the same for a pace that rests at both ends of the interval."""
    s, slope, curvature = ease(u)
    return s, slope / interval, curvature / interval**2
