"""Phase lock: effort-driven cranks keep the phase differences of the reference.

Two loops, as in small robots: one controls each crank's speed, the other changes those speeds until the cranks have the
reference's phase differences. No loop follows the reference's absolute phase: a load that slows the robot delays the
whole gait and does not disorder it.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from crawler_core.errors import UserError
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import JointSpec, RobotSpec
from hybrid_controller.estimation.coarse_encoder import CoarseEncoder
from hybrid_controller.laws.heading_hold import HeadingGains, HeadingHold
from hybrid_controller.laws.law import Law, LawReport, Measured, Setpoint
from hybrid_controller.laws.law_entry import LawEntry
from hybrid_controller.reference.horizon import ReferencePoint

IN_STEP, CATCHING_UP = "in_step", "catching_up"
MAX_PHASE_ERROR = math.radians(20.0)  # of a crank in step: such robots cannot measure less
MIN_ENCODER_COUNTS = 4  # a turn
RESET_PAUSE_NS = 50_000_000  # without a call of `compute`, after which the speed loops start again
CORRECTION_PER_COUNT = 0.1  # share of a speed error that the integral may correct in the time of a count
HOLDING_SHARE = 0.05  # of a joint's effort that holds a crank at rest once it has moved by a count
MAX_INTEGRAL_SHARE = 0.25  # of a joint's effort that the integral may add
SAME_SPEED = 0.1  # rad/s, within which two points of the reference have the same speeds
SAME_PHASE = math.radians(1.0)  # within which they have the same phase differences


@dataclass(frozen=True)
class PhaseLockParameters:
    """Gains of the two loops, and the resolution of the cranks' encoders."""

    speed_gain: float = parameter(1e-4, unit="N·m·s/rad", lower=0.0, upper=1e3, doc="of a crank's speed error")
    speed_integral: float = parameter(1e-2, unit="N·m/rad", lower=0.0, upper=1e4, doc="of that error's integral")
    phase_gain: float = parameter(
        5.0, unit="1/s", lower=0.0, upper=1e3, doc="speed per rad of a crank's phase error to the others"
    )
    phase_speed: float = parameter(
        6.0, unit="rad/s", lower=0.0, upper=1e3, doc="largest speed correction of the phase loop"
    )
    encoder_counts: int = parameter(
        0, lower=0, upper=65536, doc="per turn; angle and speed are computed from their edges. 0: as measured"
    )
    heading: bool = parameter(False, constant=True, doc="hold the heading by an IMU")
    heading_joints: str = parameter(
        "", constant=True, doc="share of each joint in the phase shift that turns the robot to the left: 'a 1, b -1'"
    )
    heading_gain: float = parameter(
        1.0, lower=-100.0, upper=100.0, doc="degrees of phase per degree of heading; negative for gaits that turn back"
    )
    heading_lead: float = parameter(0.4, unit="s", lower=0.0, upper=10.0, doc="by which the heading is foreseen")
    heading_integral: float = parameter(0.5, unit="1/s", lower=0.0, upper=100.0, doc="of the heading's integral")
    heading_limit: float = parameter(30.0, unit="deg", lower=1.0, upper=90.0, doc="of a phase's shift, either way")
    heading_slowest: float = parameter(
        1.0, unit="rad/s", lower=0.5, upper=1e3, doc="speed of the cranks below which the heading is not held"
    )
    heading_rest: float = parameter(
        0.5, unit="s", lower=0.05, upper=60.0, constant=True, doc="at the start, in which the gyro's bias is measured"
    )

    @property
    def heading_gains(self) -> HeadingGains:
        """The gains of the loop over the heading, in rad."""
        return HeadingGains(
            self.heading_gain,
            self.heading_lead,
            self.heading_integral,
            math.radians(self.heading_limit),
            self.heading_slowest,
        )

    def __post_init__(self) -> None:
        if 0 < self.encoder_counts < MIN_ENCODER_COUNTS:
            raise UserError(
                f"controller.encoder_counts = {self.encoder_counts} is too coarse for a speed: "
                f"it must be at least {MIN_ENCODER_COUNTS}, or 0 for angles as they are measured."
            )


class PhaseLock(Law):
    """effort = damping * target + speed_gain (target - speed) + speed_integral * the integral of (target - speed)

    target = the reference's speed - phase_gain (own phase error - circular mean of all phase errors)

    A crank whose reference rests is held where it is, as far as its encoder shows that it moves.
    """

    def __init__(self, spec: RobotSpec, parameters: PhaseLockParameters, dt: float) -> None:
        """Raises UserError for a robot with joints other than effort-driven cranks."""
        _require_effort_driven_cranks(spec)
        self._joints, self._dt = spec.actuated, dt
        self._parameters = p = parameters
        self._heading: HeadingHold | None = None
        if p.heading:
            self.reads_sensors = ("imu",)
            self._heading = HeadingHold(spec, p.heading_joints, p.heading_gains, p.heading_rest, dt)
        self.restart()

    def tune(self, parameters: PhaseLockParameters) -> None:
        """Change gains; encoders with another resolution start to read again."""
        encoders_changed = parameters.encoder_counts != self._parameters.encoder_counts
        self._parameters = parameters
        if encoders_changed:
            self._encoders = self._new_encoders()
        if self._heading is not None:
            self._heading.gains = parameters.heading_gains

    def restart(self) -> None:
        self._speed_loops = [_SpeedLoop() for _ in self._joints]
        self._computed_ns = -RESET_PAUSE_NS  # time of the last `compute`
        self._late: deque[ReferencePoint] = deque()  # reference since the start, while the cranks are behind it
        self._start_ns: int | None = None  # of the first state: encoder times count from it, to keep their digits
        self._encoders = self._new_encoders()
        if self._heading is not None:
            self._heading.restart()
        self.report = LawReport(IN_STEP)

    def observe(self, measured: Measured) -> None:
        if self._encoders:
            if self._start_ns is None:
                self._start_ns = measured.time_ns
            time = 1e-9 * (measured.time_ns - self._start_ns)
            for encoder, angle in zip(self._encoders, measured.position, strict=True):
                encoder.read(time, angle)
        if self._heading is not None:
            self._heading.observe(measured)

    def compute(self, measured: Measured, commanded: Setpoint, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        cranks = self._read_cranks(measured)
        if measured.time_ns - self._computed_ns >= RESET_PAUSE_NS:
            self._speed_loops = [_SpeedLoop(0.0, crank.angle, crank.reading) for crank in cranks]
            self._late.clear()
            if self._heading is not None:
                self._heading.begin()
        self._computed_ns = measured.time_ns
        now, note = self._hold_heading(measured, now)
        errors = phase_differences([crank.angle - r for crank, r in zip(cranks, now.position, strict=True)])
        targets, efforts, saturated = [], [], []
        for crank, joint, loop, speed, error in zip(
            cranks, self._joints, self._speed_loops, now.velocity, errors, strict=True
        ):
            target = self._target_speed(joint, speed, error)
            effort, limited = self._control_speed(crank, joint, loop, target)
            targets.append(target)
            efforts.append(effort)
            saturated.append(limited)
        branch = CATCHING_UP if max(map(abs, errors)) > MAX_PHASE_ERROR else IN_STEP
        self.report = LawReport(branch, note)
        return Setpoint(list(ahead.position), targets, saturated, efforts)

    def _hold_heading(self, measured: Measured, now: ReferencePoint) -> tuple[ReferencePoint, str]:
        """Return the reference that holds the heading, and why it does not."""
        if self._heading is None:
            return now, ""
        if self._heading.must_wait():
            self._late.append(now)
            return now._replace(velocity=[0.0] * len(now.velocity)), ""
        now = self._late_reference(now)
        self._heading.update(measured.time_ns, now)
        return self._heading.shifted(now), self._heading.note

    def _late_reference(self, now: ReferencePoint) -> ReferencePoint:
        """Return the reference of earlier after a wait at the start, until the present one has the same phases."""
        if not self._late:
            return now
        self._late.append(now)
        late = self._late.popleft()
        if _has_same_phases(late, now):
            self._late.clear()
        return late

    def _target_speed(self, joint: JointSpec, reference_speed: float, phase_error: float) -> float:
        """Return the crank's target speed (rad/s). The correction neither stops a crank nor turns it back."""
        max_correction = min(self._parameters.phase_speed, abs(reference_speed))
        correction = _limit(self._parameters.phase_gain * phase_error, max_correction)
        return _limit(reference_speed - correction, joint.velocity)

    def _control_speed(self, crank: _Crank, joint: JointSpec, loop: _SpeedLoop, target: float) -> tuple[float, bool]:
        """Return the effort (N·m) towards the target speed, and whether the joint's limit reduced it."""
        error = target - crank.speed
        wanted = joint.damping * target + self._parameters.speed_gain * error + loop.integral
        effort = _limit(wanted, joint.effort)
        if effort == wanted or error * wanted < 0.0:  # no integration while the effort is limited
            lag = loop.expected_angle - crank.angle if target else loop.last_reading - crank.reading
            change = self._integral_gain(joint, target) * lag
            loop.integral = _limit(loop.integral + change, MAX_INTEGRAL_SHARE * joint.effort)
        loop.expected_angle = crank.angle + target * self._dt
        loop.last_reading = crank.reading
        return effort, effort != wanted

    def _read_cranks(self, measured: Measured) -> list[_Crank]:
        if self._encoders:
            return [_Crank(encoder.angle, encoder.speed, encoder.middle) for encoder in self._encoders]
        return [_Crank(angle, speed, angle) for angle, speed in zip(measured.position, measured.velocity, strict=True)]

    def _integral_gain(self, joint: JointSpec, target: float) -> float:
        """Return the gain of the speed loop's integral (N·m/rad).

        Speeds from encoder edges are some counts old, and the gain is low enough for that delay. At rest one count is
        all that an encoder shows, and one more or less must not push hard.
        """
        p = self._parameters
        if not self._encoders:
            return p.speed_integral
        counts = p.encoder_counts / math.tau  # a rad
        if not target:
            return min(p.speed_integral, HOLDING_SHARE * joint.effort * counts)
        return min(p.speed_integral, CORRECTION_PER_COUNT * abs(target) * counts * (joint.damping + p.speed_gain))

    def _new_encoders(self) -> list[CoarseEncoder]:
        counts = self._parameters.encoder_counts
        return [CoarseEncoder(counts) for _ in self._joints] if counts else []


class _Crank(NamedTuple):
    """Measured state of one crank."""

    angle: float  # rad, interpolated between counts where an encoder reads it
    speed: float  # rad/s
    reading: float  # rad, the encoder's own reading: the middle of its count


@dataclass
class _SpeedLoop:
    """State of one crank's speed loop."""

    integral: float = 0.0  # N·m
    expected_angle: float = 0.0  # rad, where the last target should have brought the crank by now
    last_reading: float = 0.0  # rad


def phase_differences(errors: Sequence[float]) -> list[float]:
    """Return the lead (rad, within half a turn) of each phase error over the circular mean of all."""
    mean = math.atan2(math.fsum(map(math.sin, errors)), math.fsum(map(math.cos, errors)))
    return [math.remainder(error - mean, math.tau) for error in errors]


def _has_same_phases(one: ReferencePoint, other: ReferencePoint) -> bool:
    """Return True for two points that differ in nothing but a time for which all cranks turn evenly."""
    differences = phase_differences([a - b for a, b in zip(one.position, other.position, strict=True)])
    speeds = [abs(a - b) for a, b in zip(one.velocity, other.velocity, strict=True)]
    return max(map(abs, differences)) < SAME_PHASE and max(speeds) < SAME_SPEED


def _limit(value: float, magnitude: float) -> float:
    return min(max(value, -magnitude), magnitude)


def _require_effort_driven_cranks(spec: RobotSpec) -> None:
    if other := [joint.name for joint in spec.actuated if not (joint.is_effort_driven and joint.continuous)]:
        raise UserError(
            f"the law 'phase_lock' is for effort-driven continuous joints, and {', '.join(other)} of {spec.name} "
            f"is not built so: use another control law."
        )


LAW_ENTRY = LawEntry(PhaseLockParameters, PhaseLock, check=_require_effort_driven_cranks)
