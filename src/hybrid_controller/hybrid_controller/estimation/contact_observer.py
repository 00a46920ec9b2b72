"""A model observer of the contacts: the stick-slip equations, run along the measured joints.

Joint angles and rates fix everything but the velocity of foot 1, and friction makes the equations forget a wrong one:
where a foot sticks it is known exactly. Odometry, where there is any, corrects it in between.
"""

from __future__ import annotations

import cmath
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from crawler_core.types import Contact, ContactMode, ContactSource
from crawler_models.three_link import ThreeLink
from crawler_models.three_link.equations.closed_chain import Chain, chain
from crawler_models.three_link.equations.contact_law import HybridFault
from crawler_models.three_link.equations.contact_map import Pair
from crawler_models.three_link.equations.dynamics import Forces
from crawler_models.three_link.equations.foot_mode import ROS_MODE, Mode
from crawler_models.three_link.plant import tick
from hybrid_controller.laws.law import BaseMotion

_GAP = 0.1  # s without a state after which the observer begins again
_MEMORY = 400  # states that odometry may lag behind
_DOUBT = 4e-3  # m/s: what odometry must say before a foot that should stick is believed to slip
_UNKNOWN = (math.nan, math.nan, math.nan)


class _Past(NamedTuple):
    time_ns: int
    v1: float  # m/s, as it was estimated
    base: float  # m/s, x' of the base's centre seen from foot 1


class ContactObserver:
    """Estimates modes, velocities and forces of both feet; `gain` is the share that odometry corrects at a time."""

    def __init__(self, robot: ThreeLink, feet: Sequence[str], gain: float = 0.3) -> None:
        """`feet` are the names, front one first."""
        self.gain = gain
        self._robot = robot
        self._feet = tuple(feet)
        self.restart()

    def restart(self) -> None:
        """Forget everything."""
        self.contacts: tuple[Contact, ...] = ()
        self._time_ns = 0
        self._now: tick.Instant | None = None
        self._past: deque[_Past] = deque(maxlen=_MEMORY)

    def update(
        self,
        time_ns: int,
        position: Sequence[float],
        velocity: Sequence[float],
        odometry: Sequence[BaseMotion] = (),
    ) -> tuple[Contact, ...]:
        """Take the joints at a time, and odometry of times up to then; returns the feet at that time.

        The feet are UNKNOWN where the equations have no answer, and the observer begins again from there.
        """
        q, dq = (position[0], position[1]), (velocity[0], velocity[1])
        h = (time_ns - self._time_ns) * 1e-9
        known = True
        if self._now is None or not 0.0 < h <= _GAP:
            self._begin(q, dq)
        else:
            known = self._advance(self._now, q, dq, h)
        self._time_ns = time_ns
        assert self._now is not None
        self._past.append(_Past(time_ns, self._now.v1, _base_speed(self._robot, self._now.chain, dq)))
        for motion in odometry:
            self._correct(motion)
        self.contacts = self._describe(self._now, known)
        return self.contacts

    def _begin(self, q: Pair, dq: Pair) -> None:
        """Foot 1 at rest, which friction will correct."""
        self._past.clear()
        c = chain(self._robot, *q, *dq, 0.0, 0.0, cmath.exp)
        mode = (0, 0 if abs(c.d1) <= tick.AT_REST else 1 if c.d1 > 0.0 else -1)
        nan = math.nan
        self._now = tick.Instant(0.0, q, dq, (0.0, 0.0), 0.0, 0.0, mode, c, 0.0, Forces(nan, nan, nan, nan))

    def _advance(self, now: tick.Instant, q: Pair, dq: Pair, h: float) -> bool:
        """Move the equations along the joints; whether they had an answer.

        Over the tick the joints move as their rates say; the difference to the measured angles, which is noise, would
        mean absurd accelerations.
        """
        end = (now.q[0] + 0.5 * h * (now.dq[0] + dq[0]), now.q[1] + 0.5 * h * (now.dq[1] + dq[1]))
        try:
            then = tick.advance(self._robot, now, end, dq, h)
        except (HybridFault, ArithmeticError):
            self._begin(q, dq)
            return False
        self._now = replace(then, q=q)
        return math.isfinite(then.v1)

    def _correct(self, motion: BaseMotion) -> None:
        """Move the estimate by a share of what it lacked at the time of the odometry."""
        index = next((i for i, past in enumerate(self._past) if past.time_ns == motion.time_ns), None)
        if index is None or self._now is None or not math.isfinite(motion.forward):
            return
        past, now = self._past[index], self._now
        lacking = (0.0 - motion.forward) - past.base - past.v1
        if 0 in now.mode and abs(lacking) < _DOUBT:
            return
        change = self.gain * lacking
        for i in range(index, len(self._past)):
            self._past[i] = self._past[i]._replace(v1=self._past[i].v1 + change)
        v1 = now.v1 + change
        self._now = replace(now, v1=v1, mode=(_sign(v1), _sign(v1 + now.chain.d1)))

    def _describe(self, now: tick.Instant, known: bool) -> tuple[Contact, ...]:
        if not known:
            return tuple(
                Contact(foot, ContactMode.UNKNOWN, ContactSource.ESTIMATED, _UNKNOWN, _UNKNOWN) for foot in self._feet
            )
        mode: Mode = now.mode
        v = (0.0 if mode[0] == 0 else now.v1, 0.0 if mode[1] == 0 else now.v1 + now.chain.d1)
        f = now.forces
        forces = ((0.0 - f.f1x, 0.0, f.f1y), (0.0 - f.f2x, 0.0, f.f2y))
        return tuple(
            Contact(foot, ROS_MODE[s], ContactSource.ESTIMATED, force, (0.0 - speed, 0.0, 0.0))
            for foot, s, force, speed in zip(self._feet, mode, forces, v, strict=True)
        )


def _sign(v: float) -> int:
    return 0 if abs(v) <= tick.AT_REST else 1 if v > 0.0 else -1


def _base_speed(robot: ThreeLink, c: Chain, dq: Pair) -> float:
    """x' of the central link's centre relative to foot 1, in the paper's axes."""
    moving = 0.5j * robot.l0 * c.theta1 * c.e0 - 1j * robot.l1 * (c.theta1 - dq[0]) * c.e1
    return float(moving.real)
