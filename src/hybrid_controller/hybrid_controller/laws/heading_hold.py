"""Heading hold of a robot with cranks: a gyro's heading shifts the phases of its legs."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from crawler_core.errors import UserError, quoted
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import ImuReading
from hybrid_controller.estimation.gyro_heading import GyroHeading
from hybrid_controller.laws.law import Measured
from hybrid_controller.reference.horizon import ReferencePoint

MAX_SHIFT_RATE = math.radians(90.0)  # rad/s, at which the legs' phases are shifted
FADE_S = 1.0  # in which the correction comes in or fades out
MAX_READING_AGE_S = 0.2  # of a gyro that works
CALIBRATION_TIMEOUT_S = 3.0  # after which the robot moves without a heading
TURN_SHARE = 0.01  # of the cranks' speed, by which the two sides differ when a turn is commanded
DIVERGENCE_TIME_S = 4.0  # at the limit of the correction with a growing error
DIVERGENCE = math.radians(10.0)  # growth of the error in that time
SLOW_TIME_S = 1.0  # for which the cranks may turn slower while they start and stop
START_TIME_S = 2.0  # at most, in which the sides differ because the legs find their phases


@dataclass(frozen=True)
class HeadingGains:
    """The loop over the heading: shift = gain * (error + lead * its rate + integral * its integral)."""

    gain: float  # rad of phase per rad of heading
    lead: float  # s
    integral: float  # 1/s
    limit: float  # rad of phase, either way
    slowest: float  # rad/s of the cranks, below which nothing is corrected


class HeadingHold:
    """Computes the phase shift of the joints that keeps the heading at which the robot started.

    The heading is the gyro's mean over a turn of the cranks, because a stride sways the robot. While a turn is
    commanded, the two sides turn at different speeds; the shift then stays, and the heading after the turn is held.
    """

    def __init__(self, spec: RobotSpec, joints: str, gains: HeadingGains, rest: float, dt: float) -> None:
        """`joints` gives each joint's share of the shift, as in "hind_left 1, hind_right -1"; `rest` (s) is the time at
        rest that gives the bias.

        Raises UserError for a robot without such joints or without an IMU on its base.
        """
        self.gains = gains
        self._shares = _joint_shares(spec, joints)
        self._share_sum = math.fsum(map(abs, self._shares))
        self._gyro = GyroHeading(_imu_of(spec), rest)
        self._dt = dt
        self.restart()

    def restart(self) -> None:
        """Forget everything."""
        self._gyro.restart()
        self.shift = self.shift_rate = 0.0  # rad and rad/s, of a joint whose share is 1
        self.note = ""  # why the heading is not held; empty where it is
        self._moves = False
        self._waited = 0.0  # s, for the bias
        self._integral = 0.0  # rad
        self._fade = 1.0  # share of the correction in force
        self._slow_s = 0.0  # s, for which the cranks have turned too slowly for a correction
        self._begin_course()

    def begin(self) -> None:
        """Begin to move, from rest: the present heading is the one to hold."""
        self._moves = False
        self._waited = 0.0
        self._begin_course()

    def observe(self, measured: Measured) -> None:
        for reading in measured.readings:
            if isinstance(reading, ImuReading):
                self._gyro.add(reading, not self._moves)

    def must_wait(self) -> bool:
        """Return True as long as the robot has to stand: the gyro's bias is not known yet. Called once per tick."""
        if self._moves:
            return False
        self._waited += self._dt
        if not self._gyro.is_calibrated and self._waited < CALIBRATION_TIMEOUT_S:
            return True
        self._moves = True
        self._begin_course()
        return False

    def update(self, time_ns: int, now: ReferencePoint) -> None:
        """Compute the shift of this tick."""
        speeds = [share * speed for share, speed in zip(self._shares, now.velocity, strict=True)]
        speed = math.fsum(map(abs, speeds)) / self._share_sum
        turns = abs(math.fsum(speeds)) > TURN_SHARE * speed * self._share_sum
        self._slow_s = self._slow_s + self._dt if 0.0 < speed < self.gains.slowest else 0.0
        self.note = self._problem(time_ns, speed)
        if not self.note and speed >= self.gains.slowest:
            self._follow(speed, turns)
        self._fade = min(max(self._fade + (-1.0 if self.note else 1.0) * self._dt / FADE_S, 0.0), 1.0)
        if turns:
            self.shift_rate = 0.0
            return
        step = MAX_SHIFT_RATE * self._dt
        change = _limit(self._fade * self._wanted - self.shift, step)
        self.shift += change
        self.shift_rate = change / self._dt

    def shifted(self, point: ReferencePoint) -> ReferencePoint:
        """Return a point of the reference with the shift of this tick."""
        position = [x + share * self.shift for x, share in zip(point.position, self._shares, strict=True)]
        velocity = [v + share * self.shift_rate for v, share in zip(point.velocity, self._shares, strict=True)]
        return point._replace(position=position, velocity=velocity)

    def _begin_course(self) -> None:
        """Hold the present heading from now on."""
        self._course = self._gyro.heading
        self._gaps = self._gyro.gaps
        self._past: deque[float] = deque()  # headings of the last turn of the cranks, a tick apart
        self._moved_s, self._has_started = 0.0, False  # until the sides have turned equally fast
        self._wanted = 0.0  # rad, the shift that the loop wants
        self._limited_s, self._error_before = 0.0, 0.0
        self._diverges = False

    def _problem(self, time_ns: int, speed: float) -> str:
        """Return why the heading cannot be held."""
        gyro = self._gyro
        if not gyro.is_calibrated:
            return "the heading is not held: the bias of the gyro could not be measured at rest"
        assert gyro.time_ns is not None
        age = 1e-9 * (time_ns - gyro.time_ns)
        if age > MAX_READING_AGE_S:
            return f"the heading is not held: no reading of the gyro for {age:.1f} s"
        if self._gaps != gyro.gaps:  # the gyro is back, and what happened meanwhile is not known
            self._begin_course()
        if self._diverges:
            return (
                f"the heading is not held: {math.degrees(self.gains.limit):g} degrees of phase turned the robot the "
                "wrong way or too little; check controller.heading_gain for this gait"
            )
        if self._slow_s > SLOW_TIME_S:
            return (
                f"the heading is not held: the cranks turn at {speed:.3g} rad/s, less than controller.heading_slowest"
            )
        return ""

    def _follow(self, speed: float, turns: bool) -> None:
        """Take the present heading and compute the shift that the loop wants."""
        mean, rate = self._mean_heading(speed)
        self._moved_s += self._dt
        if turns:
            if self._has_started or self._moved_s > START_TIME_S:
                self._course = mean
            return
        self._has_started = True
        gains, error = self.gains, self._course - mean
        wanted = gains.gain * (error - gains.lead * rate) + self._integral
        self._wanted = _limit(wanted, gains.limit)
        change = gains.gain * gains.integral * error * self._dt
        if wanted == self._wanted or change * wanted < 0.0:  # no integration at the limit
            self._integral = _limit(self._integral + change, gains.limit)
        self._watch(error, wanted != self._wanted)

    def _watch(self, error: float, is_limited: bool) -> None:
        """Find out that the largest correction does not help."""
        if not is_limited:
            self._limited_s = 0.0
            return
        if not self._limited_s:
            self._error_before = abs(error)
        self._limited_s += self._dt
        if self._limited_s > DIVERGENCE_TIME_S:
            self._diverges = abs(error) > self._error_before + DIVERGENCE
            self._limited_s = 0.0

    def _mean_heading(self, speed: float) -> tuple[float, float]:
        """Return the mean of the last turn of the cranks (rad) and its rate (rad/s)."""
        past, ticks = self._past, max(1, round(math.tau / (speed * self._dt)))
        if not past:
            past.extend([self._gyro.heading] * ticks)
        oldest = past[0]
        past.append(self._gyro.heading)
        while len(past) > ticks:
            oldest = past.popleft()
        return math.fsum(past) / len(past), (past[-1] - oldest) / (len(past) * self._dt)


def _limit(value: float, magnitude: float) -> float:
    return min(max(value, -magnitude), magnitude)


def _joint_shares(spec: RobotSpec, text: str) -> list[float]:
    """Return each actuated joint's share of the shift; 0 for those that are not named."""
    shares = dict.fromkeys(spec.actuated_names, 0.0)
    wrong = UserError(
        f"controller.heading_joints = {quoted(text)} is not allowed with controller.heading: it must name joints with "
        f"their shares of the phase shift, positive where a lead turns the robot to the left, such as "
        f"'{spec.actuated_names[0]} 1, {spec.actuated_names[-1]} -1'. Joints: {', '.join(shares)}."
    )
    for entry in filter(str.strip, text.split(",")):
        name, _, share = entry.strip().partition(" ")
        if name not in shares:
            raise wrong
        try:
            shares[name] = float(share)
        except ValueError:
            raise wrong from None
    values = list(shares.values())
    if not (math.isfinite(sum(values)) and any(values) and max(map(abs, values)) <= 1.0):
        raise wrong
    return values


def _imu_of(spec: RobotSpec) -> SensorSpec:
    for sensor in spec.sensors:
        if sensor.kind == "imu" and sensor.link in ("", spec.base_link):
            return sensor
    raise UserError(
        f"controller.heading = true is not possible for {spec.name}: its file has no sensor of kind imu on the link "
        f"{spec.base_link}. Add one to the section sensors, or set controller.heading to false."
    )
