"""The robot under the feedback law (19) between two events: its equations of motion, and what ends them."""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crawler_core.motion import PeriodicMotion
from crawler_models.three_link.equations.closed_chain import Chain, chain, closed_chain
from crawler_models.three_link.equations.contact_law import HybridFault
from crawler_models.three_link.equations.contact_map import Pair, SingularContacts
from crawler_models.three_link.equations.dynamics import acceleration, contact_forces, painleve_margin
from crawler_models.three_link.equations.foot_mode import Mode
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.feedback.feedback_law import (
    FeedbackLaw,
    JointReference,
    contact_reference,
    contact_tracking,
    joint_tracking,
)

AT_REST = 1e-9  # m/s: a slower foot stands; far below any gait
A_MOMENT = 1e-9  # of the period: the law does not switch back sooner, so that endless switching takes some time
NEVER_S = -1e9  # s

Vector = tuple[float, float, float, float, float, float]
"""q_c (2), q_c' (2), x1', x1."""


@dataclass(frozen=True)
class LoopState:
    """The closed loop at one time of its cycle; ``tracks_contacts`` says which line of (19) is in force."""

    t: float
    y: Vector
    mode: Mode
    tracks_contacts: bool
    left: float = NEVER_S  # when contact velocities were tracked last

    @property
    def q(self) -> Pair:
        return self.y[0], self.y[1]

    @property
    def dq(self) -> Pair:
        return self.y[2], self.y[3]


class Now(NamedTuple):
    """The equations evaluated: derivative of y, and the guards of the phase."""

    rate: Vector
    guards: list[float]
    v2: float


class LoopEquations:
    """Equations of motion of a robot under a periodic reference and the law."""

    def __init__(self, robot: ThreeLink, motion: PeriodicMotion, law: FeedbackLaw) -> None:
        self.robot, self.motion, self.law = robot, motion, law
        self.wait = max(law.dwell, A_MOMENT * float(motion.period))  # s without tracking contacts, at least

    def reference(self, t: float) -> JointReference:
        q, dq, ddq = (tuple(value.tolist()) for value in self.motion.sample(np.asarray(t)))
        return JointReference(q, dq, ddq)

    def opening(self, t: float) -> bool:
        return float(closed_chain(self.robot, *self.motion.sample(np.asarray(t))).d1) > 0.0

    def chain(self, tracks: bool, mode: Mode, y: Vector, t: float, opening: bool) -> tuple[Pair, Chain]:
        """q_c'' by (19) and the chain with it."""
        q, dq, reference = (y[0], y[1]), (y[2], y[3]), self.reference(t)
        if tracks:
            d1 = chain(self.robot, *q, *dq, 0.0, 0.0, cmath.exp).d1
            wanted = contact_reference(self.robot, reference, opening)
            try:
                ddq = contact_tracking(self.law, self.robot, q, dq, (y[4], y[4] + d1), mode, wanted)
            except SingularContacts as singular:
                raise HybridFault(f"{singular} At t = {t:.6g} s.", t) from None
        else:
            ddq = joint_tracking(self.law, q, dq, reference)
        return ddq, chain(self.robot, *q, *dq, *ddq, cmath.exp)

    def evaluate(self, state: LoopState, y: Vector, t: float, opening: bool) -> Now:
        robot, mode = self.robot, state.mode
        ddq, c = self.chain(state.tracks_contacts, mode, y, t, opening)
        a = acceleration(robot, c, mode)
        f1x, f1y, f2x, f2y = contact_forces(robot, c, mode, a)
        v1 = 0.0 if mode[0] == 0 else -c.d1 if mode[1] == 0 else y[4]
        v2 = 0.0 if mode[1] == 0 else v1 + c.d1
        guards = [f1y, f2y, painleve_margin(robot, c, mode)]
        guards.append(mode[0] * v1 + AT_REST if mode[0] else robot.mu1 * f1y - abs(f1x))
        guards.append(mode[1] * v2 + AT_REST if mode[1] else robot.mu2 * f2y - abs(f2x))
        if mode[0] and mode[1]:
            room = self.law.room((y[0], y[1]))
            if state.tracks_contacts:
                guards.append(room)
            elif self.law.room(state.q) < self.law.hysteresis and state.t >= state.left + self.wait:
                guards.append(self.law.hysteresis - room)
        return Now((y[2], y[3], *ddq, a, v1), guards, v2)

    def advance(self, state: LoopState, h: float, opening: bool) -> Vector:
        """y after ``h`` seconds (Runge and Kutta)."""

        def rate(y: Vector, t: float) -> Vector:
            return self.evaluate(state, y, t, opening).rate

        y, t = state.y, state.t
        k1 = rate(y, t)
        k2 = rate(_moved(y, k1, 0.5 * h), t + 0.5 * h)
        k3 = rate(_moved(y, k2, 0.5 * h), t + 0.5 * h)
        k4 = rate(_moved(y, k3, h), t + h)
        mean = tuple((a + 2.0 * (b + c) + d) / 6.0 for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
        return _moved(y, mean, h)  # type: ignore[arg-type]


def _moved(y: Vector, rate: Vector, h: float) -> Vector:
    return (
        y[0] + h * rate[0],
        y[1] + h * rate[1],
        y[2] + h * rate[2],
        y[3] + h * rate[3],
        y[4] + h * rate[4],
        y[5] + h * rate[5],
    )
