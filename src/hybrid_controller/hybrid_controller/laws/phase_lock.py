"""Phase lock: cranks that turn for ever, driven by effort, keep in step with each other.

Two loops, as small robots have them: one keeps each crank at its speed, the other changes those speeds until every
crank is as far ahead of the others as the reference says. Nothing pulls all of them together along the reference: a
load that slows the robot down delays its whole gait, and does not disorder it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import JointSpec, RobotSpec
from crawler_core.types import Contact
from hybrid_controller.estimation.coarse_encoder import CoarseEncoder
from hybrid_controller.laws.law import LawReport, Measured, Setpoint
from hybrid_controller.laws.law_entry import LawEntry
from hybrid_controller.reference.horizon import ReferencePoint

IN_STEP, CATCHING_UP = "in_step", "catching_up"
TURN = 2.0 * math.pi
OUT_OF_STEP = math.radians(20.0)  # of a crank's own phase: what is less, such robots cannot tell
FEWEST = 4  # counts of a turn
PAUSE = 50_000_000  # ns without being asked after which what the speed loops have learnt is forgotten
LATE = 0.1  # of a speed error: so much of it the speed loop's integral may take away in the time of a count
HELD = 0.05  # of a joint's effort: so much a crank at rest is held by when it has moved by a count
LEARNT = 0.25  # of a joint's effort: at most so much is added by the speed loop's integral


@dataclass(frozen=True)
class PhaseLockParameters:
    """The gains of the two loops, and how finely the cranks' angles are known."""

    speed_gain: float = parameter(1e-4, unit="N·m·s/rad", lower=0.0, upper=1e3, doc="of a crank's speed error")
    speed_integral: float = parameter(1e-2, unit="N·m/rad", lower=0.0, upper=1e4, doc="of that error's integral")
    phase_gain: float = parameter(
        5.0, unit="1/s", lower=0.0, upper=1e3, doc="speed for each rad that a crank is out of step with the others"
    )
    phase_speed: float = parameter(
        6.0, unit="rad/s", lower=0.0, upper=1e3, doc="the most that is added to a speed for it"
    )
    encoder_counts: int = parameter(
        0, lower=0, upper=65536, doc="that tell a turn; angle and speed come from their edges. 0: as measured"
    )

    def __post_init__(self) -> None:
        if 0 < self.encoder_counts < FEWEST:
            raise UserError(
                f"controller.encoder_counts = {self.encoder_counts} is too coarse to tell a speed: "
                f"give {FEWEST} at least, or 0 for angles as they are measured."
            )


class PhaseLock:
    """effort = damping * target + speed_gain (target - speed) + speed_integral * the integral of (target - speed)

    target = the reference's speed - phase_gain (own phase error - circular mean of all phase errors)

    A crank whose reference rests is held where it is, as far as its encoder tells that it moves.
    """

    reads_contacts = False
    reads_odometry = False
    estimated: Sequence[Contact] = ()

    def __init__(self, spec: RobotSpec, parameters: PhaseLockParameters, dt: float) -> None:
        """Raises UserError for a robot that has other joints than such cranks."""
        _turns_cranks_by_effort(spec)
        self._joints, self._dt = spec.actuated, dt
        self._parameters = parameters
        self.restart()

    def tune(self, parameters: PhaseLockParameters) -> None:
        """Take other gains; other encoders begin to read anew."""
        anew = parameters.encoder_counts != self._parameters.encoder_counts
        self._parameters = parameters
        if anew:
            self._encoders = self._new_encoders()

    def restart(self) -> None:
        self._learnt = [0.0] * len(self._joints)  # N·m
        self._due: list[float] = []  # rad, where the last targets should have brought the cranks to by now
        self._told: list[float] = []  # rad, what was told of them
        self._asked = -PAUSE  # ns
        self._began: int | None = None  # ns, of the first state: times count from it, so that they keep their digits
        self._encoders = self._new_encoders()
        self.report = LawReport(IN_STEP)

    def observe(self, measured: Measured) -> None:
        if self._encoders:
            if self._began is None:
                self._began = measured.time_ns
            time = 1e-9 * (measured.time_ns - self._began)
            for encoder, angle in zip(self._encoders, measured.position, strict=True):
                encoder.read(time, angle)

    def compute(self, measured: Measured, commanded: Setpoint, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        p = self._parameters
        angle, speed, told = self._known(measured)
        if measured.time_ns - self._asked >= PAUSE:
            self._learnt = [0.0] * len(self._joints)
            self._due, self._told = list(angle), told
        self._asked = measured.time_ns
        apart = out_of_step([q - r for q, r in zip(angle, now.position, strict=True)])
        targets, efforts, cut = [], [], []
        for i, joint in enumerate(self._joints):
            most = min(p.phase_speed, abs(now.velocity[i]))  # to come into step no crank turns back, or at rest
            target = _within(now.velocity[i] - _within(p.phase_gain * apart[i], most), joint.velocity)
            slow = target - speed[i]
            wanted = joint.damping * target + p.speed_gain * slow + self._learnt[i]
            effort = _within(wanted, joint.effort)
            if effort == wanted or slow * wanted < 0.0:  # an effort that is cut teaches nothing
                behind = self._due[i] - angle[i] if target else self._told[i] - told[i]
                self._learnt[i] = _within(
                    self._learnt[i] + self._integral(joint, target) * behind, LEARNT * joint.effort
                )
            self._due[i] = angle[i] + target * self._dt
            targets.append(target)
            efforts.append(effort)
            cut.append(effort != wanted)
        self._told = told
        self.report = LawReport(CATCHING_UP if max(map(abs, apart)) > OUT_OF_STEP else IN_STEP)
        return Setpoint(list(ahead.position), targets, cut, efforts)

    def _known(self, measured: Measured) -> tuple[list[float], list[float], list[float]]:
        """Angle and speed of each crank, and the angle that is told of it, whatever is known besides."""
        if not self._encoders:
            return measured.position, measured.velocity, measured.position
        each = [(encoder.angle, encoder.speed, encoder.middle) for encoder in self._encoders]
        angle, speed, told = (list(column) for column in zip(*each, strict=True))
        return angle, speed, told

    def _integral(self, joint: JointSpec, target: float) -> float:
        """The gain of the speed loop's integral.

        Speeds from edges are some counts old, and it waits for them. At rest a count is all that there is to see, and
        one more or less does not push hard.
        """
        p = self._parameters
        if not self._encoders:
            return p.speed_integral
        counts = p.encoder_counts / TURN  # a rad
        if not target:
            return min(p.speed_integral, HELD * joint.effort * counts)
        return min(p.speed_integral, LATE * abs(target) * counts * (joint.damping + p.speed_gain))

    def _new_encoders(self) -> list[CoarseEncoder]:
        counts = self._parameters.encoder_counts
        return [CoarseEncoder(counts) for _ in self._joints] if counts else []


def out_of_step(errors: Sequence[float]) -> list[float]:
    """By how much (rad, within half a turn) each phase error is ahead of the circular mean of all."""
    mean = math.atan2(math.fsum(map(math.sin, errors)), math.fsum(map(math.cos, errors)))
    return [math.remainder(error - mean, TURN) for error in errors]


def _within(value: float, most: float) -> float:
    return min(max(value, -most), most)


def _turns_cranks_by_effort(spec: RobotSpec) -> None:
    if other := [joint.name for joint in spec.actuated if not (joint.is_effort_driven and joint.continuous)]:
        raise UserError(
            f"the law 'phase_lock' drives cranks by effort that turn for ever, and {', '.join(other)} of {spec.name} "
            f"is not built so: use another control law."
        )


LAW = LawEntry(PhaseLockParameters, PhaseLock, check=_turns_cranks_by_effort)
