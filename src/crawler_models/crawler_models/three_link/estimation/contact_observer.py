"""Observe the contacts with a model: the stick-slip equations, run along the measured joints.

Joint angles and rates determine everything but the velocity of foot 1. Friction makes an error in it decay, and where a
foot sticks it is known exactly. Odometry corrects it in between, if there is any.
"""

from __future__ import annotations

import cmath
import math
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from crawler_core.types import BaseState, Contact, ContactMode, ContactSource
from crawler_models.estimation.base_motion import BaseMotion
from crawler_models.three_link.equations.closed_chain import Chain, chain
from crawler_models.three_link.equations.contact_law import HybridFault
from crawler_models.three_link.equations.contact_map import Pair
from crawler_models.three_link.equations.dynamics import Forces
from crawler_models.three_link.equations.foot_mode import ROS_MODE, Mode
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.plant import tick
from crawler_models.three_link.plant.base_state import base_from_foot_1, base_state

MAX_STATE_GAP_S = 0.1  # between two states; after a longer one the observer starts again
MAX_PAST_STATES = 400  # by which odometry may lag behind
MIN_SLIP_CORRECTION = 4e-3  # m/s of odometry's correction, from which on a foot that should stick counts as slipping
UNKNOWN_VECTOR = (math.nan, math.nan, math.nan)


class _PastState(NamedTuple):
    time_ns: int
    v1: float  # m/s, estimated
    base: float  # m/s, x' of the base's centre seen from foot 1


class ContactObserver:
    """Estimates modes, velocities and forces of both feet; `gain` is the share of an error that odometry corrects."""

    def __init__(self, robot: ThreeLink, feet: Sequence[str], gain: float = 0.3) -> None:
        """`feet` are the names, front one first."""
        self.gain = gain
        self._robot = robot
        self._feet = tuple(feet)
        self.restart()

    def restart(self) -> None:
        self.contacts: tuple[Contact, ...] = ()
        self._time_ns = 0
        self._distance = 0.0  # m, from foot 1 to foot 2 at the measured angles
        self._now: tick.Instant | None = None
        self._past: deque[_PastState] = deque(maxlen=MAX_PAST_STATES)

    def update(
        self,
        time_ns: int,
        position: Sequence[float],
        velocity: Sequence[float],
        odometry: Sequence[BaseMotion] = (),
    ) -> tuple[Contact, ...]:
        """Return the contacts at `time_ns`, from the joints at that time and odometry of times up to it.

        They are UNKNOWN where the equations have no solution, and the observer starts again from there.
        """
        q, dq = (position[0], position[1]), (velocity[0], velocity[1])
        h = (time_ns - self._time_ns) * 1e-9
        known = True
        if self._now is None or not 0.0 < h <= MAX_STATE_GAP_S:
            self._begin(q, dq)
        else:
            known = self._advance(self._now, q, dq, h)
        self._time_ns = time_ns
        assert self._now is not None
        self._past.append(_PastState(time_ns, self._now.v1, _base_speed(self._robot, self._now.chain, dq)))
        for motion in odometry:
            self._correct(motion)
        self.contacts = self._describe(self._now, known)
        return self.contacts

    def base(self) -> BaseState:
        """Return the base at the time of the last update; it began at x = 0."""
        assert self._now is not None
        return base_state(self._robot, self._now)

    def _begin(self, q: Pair, dq: Pair) -> None:
        """Start with foot 1 at rest; friction corrects an error in that. The base stays where it was."""
        self._past.clear()
        place = 0.0 if self._now is None else self._now.x1 + base_from_foot_1(self._robot, self._now.chain).real
        c = chain(self._robot, *q, *dq, 0.0, 0.0, cmath.exp)
        self._distance = _feet_distance(self._robot, q)
        x1 = place - base_from_foot_1(self._robot, c).real
        mode = (0, 0 if abs(c.d1) <= tick.AT_REST else 1 if c.d1 > 0.0 else -1)
        nan = math.nan
        self._now = tick.Instant(0.0, q, dq, (0.0, 0.0), x1, 0.0, mode, c, 0.0, Forces(nan, nan, nan, nan))

    def _advance(self, now: tick.Instant, q: Pair, dq: Pair, h: float) -> bool:
        """Advance the equations along the joints. Return False where they have no solution.

        Over the tick the joints move at their measured rates. Their difference to the measured angles is noise, and
        would mean absurd accelerations.
        """
        end = (now.q[0] + 0.5 * h * (now.dq[0] + dq[0]), now.q[1] + 0.5 * h * (now.dq[1] + dq[1]))
        try:
            then = tick.advance(self._robot, now, end, dq, h)
        except (HybridFault, ArithmeticError):
            self._begin(q, dq)
            return False
        distance = _feet_distance(self._robot, q)
        x1 = then.x1
        if now.mode[1] == then.mode[1] == 0 and not now.mode[0] == then.mode[0] == 0:
            # foot 2 sticks: the measured angles say where foot 1 is, without the error of integrated rates
            x1 = now.x1 - (distance - self._distance)
        self._distance = distance
        self._now = tick.Instant(then.t, q, then.dq, then.ddq, x1, then.v1, then.mode, then.chain, then.a, then.forces)
        return math.isfinite(then.v1)

    def _correct(self, motion: BaseMotion) -> None:
        """Correct the estimate by a share of its error at the time of the odometry."""
        index = bisect_left(self._past, motion.time_ns, key=lambda past: past.time_ns)
        if index == len(self._past) or self._now is None or not math.isfinite(motion.forward):
            return
        late, now = self._past[index], self._now
        early = self._past[index - 1] if index else late
        if motion.time_ns < early.time_ns:
            return  # older than all that is remembered
        gap = late.time_ns - early.time_ns
        share = (motion.time_ns - early.time_ns) / gap if gap else 1.0
        speed = early.base + early.v1 + share * (late.base + late.v1 - early.base - early.v1)
        error = (0.0 - motion.forward) - speed
        if 0 in now.mode and abs(error) < MIN_SLIP_CORRECTION:
            return
        change = self.gain * error
        for i in range(index, len(self._past)):
            self._past[i] = self._past[i]._replace(v1=self._past[i].v1 + change)
        v1 = now.v1 + change
        self._now = replace(now, v1=v1, mode=(_sign(v1), _sign(v1 + now.chain.d1)))

    def _describe(self, now: tick.Instant, known: bool) -> tuple[Contact, ...]:
        if not known:
            unknown = ContactMode.UNKNOWN, ContactSource.ESTIMATED, UNKNOWN_VECTOR, UNKNOWN_VECTOR
            return tuple(Contact(foot, *unknown) for foot in self._feet)
        mode: Mode = now.mode
        v = (0.0 if mode[0] == 0 else now.v1, 0.0 if mode[1] == 0 else now.v1 + now.chain.d1)
        f = now.forces
        forces = ((0.0 - f.f1x, 0.0, f.f1y), (0.0 - f.f2x, 0.0, f.f2y))
        return tuple(
            Contact(foot, ROS_MODE[s], ContactSource.ESTIMATED, force, (0.0 - speed, 0.0, 0.0))
            for foot, s, force, speed in zip(self._feet, mode, forces, v, strict=True)
        )


def _feet_distance(robot: ThreeLink, q: Pair) -> float:
    """Return the distance of the feet (m)."""
    return abs(robot.l0 - robot.l1 * cmath.exp(1j * q[0]) - robot.l2 * cmath.exp(-1j * q[1]))


def _sign(v: float) -> int:
    return 0 if abs(v) <= tick.AT_REST else 1 if v > 0.0 else -1


def _base_speed(robot: ThreeLink, c: Chain, dq: Pair) -> float:
    """Return x' of the central link's centre relative to foot 1 (m/s), in the paper's axes."""
    moving = 0.5j * robot.l0 * c.theta1 * c.e0 - 1j * robot.l1 * (c.theta1 - dq[0]) * c.e1
    return float(moving.real)
