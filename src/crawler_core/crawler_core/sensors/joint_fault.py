"""Faults of a joint's encoder that a backend injects on request."""

from __future__ import annotations

import math
import random

JOINT_FAULTS = ("jump", "tremble", "stuck")
JOINT_FAULTS_DOC = (
    "jump: a joint's measured angle jumps by 10 degrees and back, each 0.2 s; tremble: it is off by up to 12 degrees, "
    "others in each reading; "
    "stuck: it stands still while the joint moves on"
)
JUMP_RAD = math.radians(10.0)
JUMP_PERIOD_NS = 400_000_000
TREMBLE_RAD = math.radians(12.0)


class JointFault:
    """Spoils the measured motion of one joint from now on."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._first: tuple[float, int] | None = None  # angle (rad) and time (ns) at its beginning

    def spoil(self, angle: float, rate: float, time_ns: int) -> tuple[float, float]:
        """Return what is measured in place of an angle (rad) and a rate (rad/s); equal for equal times."""
        if self._first is None:
            self._first = angle, time_ns
        if self._kind == "jump":
            is_off = 2 * ((time_ns - self._first[1]) % JUMP_PERIOD_NS) < JUMP_PERIOD_NS
            return angle + JUMP_RAD * is_off, rate
        if self._kind == "tremble":
            return angle + TREMBLE_RAD * random.Random(time_ns).uniform(-1.0, 1.0), rate
        return self._first[0], 0.0
