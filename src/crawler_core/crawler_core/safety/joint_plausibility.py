"""Faults in measured angles: jumps, trembling, and angles that stand still while their joints are driven."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from crawler_core.errors import BackendFault
from crawler_core.robot.robot_spec import JointSpec, RobotSpec
from crawler_core.types import Observation

SPEED_MARGIN = 1.1  # over a joint's velocity limit: a servo that catches up may exceed it
ACCELERATION_MARGIN = 2.0  # over a joint's acceleration limit, likewise
NOISE_SIGMAS = 8.5  # of the difference of two readings: 6 of each, which chance does not reach
MIN_MOVED_RAD = math.radians(0.05)  # from which on a joint without a known encoder counts as moving
TREMBLE_READINGS = 16
TREMBLE_REVERSALS = 8  # among them
FOLLOWING_SHARE = 0.2  # of the tracking tolerance, that a setpoint moves before its joint must have moved at all,
STUCK_TIME_S = 0.5  # and for how long it may lag behind, at least
STALL_EFFORT_SHARE = 0.5  # of an effort-driven joint's limit
STALL_TIME_S = 0.5  # of pushing so hard without any motion


class JointPlausibility:
    """Checks the angle of each actuated joint against the one before and against what drives the joint.

    Thresholds follow from the robot file: limits of velocity and acceleration, the tracking tolerance, and the worst
    encoder, noise and backlash of its profiles of `reality`.
    """

    def __init__(self, spec: RobotSpec, dt: float) -> None:
        worst = [(0.0, 0.0, 0.0)]
        for profile in spec.realities.values():
            step = math.tau / profile.encoder_counts if profile.encoder_counts else 0.0
            worst.append((step, NOISE_SIGMAS * profile.position_noise, profile.backlash))
        step, noise, backlash = (max(values) for values in zip(*worst, strict=True))
        rows = zip(spec.actuated_indices, spec.actuated, strict=True)
        self._watches = [_JointWatch(i, joint, spec, dt, (step, noise, backlash)) for i, joint in rows]
        self._position_watches = [watch for watch in self._watches if not watch.joint.is_effort_driven]
        self._effort_watches = [watch for watch in self._watches if watch.joint.is_effort_driven]
        self.reset()

    def set_angle_steps(self, steps: Sequence[float]) -> None:
        """Take the steps (rad) in which the devices of the actuated joints measure."""
        for watch, step in zip(self._watches, steps, strict=True):
            watch.set_step(step)

    def reset(self) -> None:
        """Forget the readings before."""
        self._last_time_ns = -1
        for watch in self._watches:
            watch.reset()

    def check(
        self, observation: Observation, setpoints: Sequence[float], efforts: Sequence[float], elapsed: float
    ) -> None:
        """Raise BackendFault for the first joint whose angle cannot be right.

        `setpoints` (rad) are those of position-driven joints, `efforts` (N·m) the last ones of effort-driven joints.
        """
        time_ns, angles = observation.time_ns, observation.position.tolist()
        if time_ns == self._last_time_ns:
            return
        self._last_time_ns = time_ns
        measured_ns = observation.measured_ns
        for watch, setpoint in zip(self._position_watches, setpoints, strict=True):
            watch.setpoint = setpoint
        for k, watch in enumerate(self._watches):
            watch.check_change(angles[watch.index], time_ns if measured_ns is None else measured_ns[k])
        for watch in self._position_watches:
            watch.check_following(angles[watch.index], elapsed)
        for watch, effort in zip(self._effort_watches, efforts, strict=False):  # there are none before the first
            watch.check_turning(angles[watch.index], effort, elapsed)


class _JointWatch:
    """The latest readings of one joint."""

    def __init__(
        self, index: int, joint: JointSpec, spec: RobotSpec, dt: float, errors: tuple[float, float, float]
    ) -> None:
        self.index = index
        self.joint = joint
        self.setpoint = 0.0  # rad, of a position-driven joint
        self._dt = dt
        self._tolerance, self._patience = spec.safety.tracking_tolerance, max(spec.safety.tracking_time, STUCK_TIME_S)
        self._errors = errors
        self.set_step(0.0)
        self.reset()

    def set_step(self, step: float) -> None:
        """Take the step (rad) of the joint's encoder, where it is coarser than the robot file says."""
        known_step, noise, backlash = self._errors
        still = max(step, known_step) + noise
        self._error = still + backlash  # rad, by which the difference of two readings may be off
        self._moved = still + MIN_MOVED_RAD  # rad, from which on a joint has moved for certain
        # rad, by which a joint that follows its setpoint does not leave it and come back from reading to reading
        self._unstable = math.inf if self.joint.is_effort_driven else 2.0 * FOLLOWING_SHARE * self._tolerance
        self._expected = max(FOLLOWING_SHARE * self._tolerance, 2.0 * self._moved + backlash)  # rad, of a setpoint

    def reset(self) -> None:
        self._time_ns: int | None = None  # of the last reading,
        self._delay = 0.0  # s by which it came later than a tick after the one before
        self._angle = 0.0  # rad
        self._from_setpoint = self._step = 0.0  # rad, from a position-driven joint's setpoint, and since the one before
        self._reversals: deque[bool] = deque(maxlen=TREMBLE_READINGS)
        self._rest_angle: float | None = None  # rad, where it stands
        self._lowest = self._highest = 0.0  # rad, of the setpoint since then
        self._rest_time = 0.0  # s, for which it should have moved
        self._push = 0.0  # N·m, the last effort

    def check_change(self, angle: float, time_ns: int) -> None:
        """Compare a reading with the one before; a lost one leaves its time."""
        before_ns, before = self._time_ns, self._angle
        if before_ns == time_ns:
            return
        from_setpoint = angle - self.setpoint
        step, last_step = from_setpoint - self._from_setpoint, self._step
        self._time_ns, self._angle, self._from_setpoint, self._step = time_ns, angle, from_setpoint, step
        if before_ns is None or time_ns < before_ns:
            self._step = 0.0
            return
        # a reading that came late was measured earlier: what it lacks of the motion, the next one has
        passed = 1e-9 * (time_ns - before_ns)
        seconds = max(passed, self._dt) + self._delay
        self._delay = max(passed - self._dt, 0.0)
        change = angle - before
        if abs(change) > self._error + SPEED_MARGIN * self.joint.velocity * seconds:
            raise self._jump(change, seconds)
        possible = self._error + 0.5 * min(ACCELERATION_MARGIN * self.joint.acceleration * seconds**2, self._unstable)
        is_reversal = step * last_step < 0.0 and abs(step) + abs(last_step) > 2.0 * possible
        self._reversals.append(is_reversal)
        if is_reversal and sum(self._reversals) >= TREMBLE_REVERSALS:
            raise self._tremble(step, possible)

    def check_following(self, angle: float, elapsed: float) -> None:
        """Compare the motion of a joint with that of its setpoint."""
        setpoint = self.setpoint
        if self._rest_angle is None or abs(angle - self._rest_angle) > self._moved:
            self._rest_angle, self._lowest, self._highest, self._rest_time = angle, setpoint, setpoint, 0.0
            return
        self._lowest, self._highest = min(self._lowest, setpoint), max(self._highest, setpoint)
        asked = self._highest - self._lowest
        self._rest_time = self._rest_time + elapsed if asked > self._expected else 0.0
        if self._rest_time > self._patience:
            name = self.joint.name
            raise BackendFault(
                f"{name} does not follow: its setpoint moved by {math.degrees(asked):.1f} degrees and its measured "
                f"angle by less than {math.degrees(self._moved):.2f}",
                remedy=f"check that {name} is free to move and powered, and its encoder",
                joint=name,
            )

    def check_turning(self, angle: float, effort: float, elapsed: float) -> None:
        """Compare the motion of a joint with the effort that drives it; NaN is none."""
        joint = self.joint
        is_pushed = abs(effort) > STALL_EFFORT_SHARE * joint.effort > 0.0 and effort * self._push >= 0.0
        self._push = effort if math.isfinite(effort) else 0.0
        if not is_pushed or self._rest_angle is None or abs(angle - self._rest_angle) > self._moved:
            self._rest_angle, self._rest_time = angle, 0.0
            return
        self._rest_time += elapsed
        if self._rest_time > STALL_TIME_S:
            raise BackendFault(
                f"{joint.name} does not turn: it was pushed with {effort:.3g} of {joint.effort:g} N m for "
                f"{self._rest_time:.2g} s, and its measured angle moved by less than {math.degrees(self._moved):.2f} "
                "degrees",
                remedy=f"check that {joint.name} is free to turn and powered, and its encoder",
                joint=joint.name,
            )

    def _jump(self, change: float, seconds: float) -> BackendFault:
        name, limit = self.joint.name, self.joint.velocity
        possible = self._error + SPEED_MARGIN * limit * seconds
        return BackendFault(
            f"the measured angle of {name} jumped by {math.degrees(change):.1f} degrees in {1e3 * seconds:.0f} ms: "
            f"{math.degrees(possible):.1f} are possible at its limit of {limit:g} rad/s",
            remedy=f"check the encoder of {name}, its mounting and its cable",
            joint=name,
        )

    def _tremble(self, step: float, possible: float) -> BackendFault:
        name = self.joint.name
        return BackendFault(
            f"the measured angle of {name} trembles by {math.degrees(abs(step)):.1f} degrees from reading to reading: "
            f"{math.degrees(possible):.1f} are possible",
            remedy=f"check the encoder of {name}, its mounting and the shield of its cable",
            joint=name,
        )
