"""Corrects an estimator by the pose of the robot from outside: a camera, motion capture."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, replace

from transforms3d.quaternions import qmult

from crawler_core.gait_metrics.heading import Heading
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Observation, PoseReading, Vector
from crawler_models.estimation.sensor_mounting import SensorMounting
from crawler_models.interface.estimator import Estimator, Six, StateEstimate

HISTORY_PERIOD_NS = 10_000_000
HISTORY_S = 1.5  # of estimates, by which a pose may be late
MAX_DEVIATION = 6.0  # standard deviations of a pose from the estimate; more is an outlier
MAX_OUTLIERS = 4  # in a row; then the robot was really put somewhere else
MAX_INFLATION, INFLATION_GAIN = 100.0, 0.1  # by which the other estimator may be worse than it says
EXPECTED_SQUARE = 1.5  # of a pose's deviation in standard deviations; more shows that the estimator is worse
MISSED_POSES = 10.0  # periods without a pose, after which it counts as lost
MIN_TIMEOUT_S = 0.5
MIN_POSITION_SIGMA_M, MIN_YAW_SIGMA_RAD = 1e-3, 0.005  # of a pose whose errors the robot file does not give
X, Y, Z, YAW = 0, 1, 2, 5  # of a pose's variance


@dataclass(frozen=True, slots=True)
class _Past:
    """The fused pose at a past time, and the corrections that had been made until then."""

    time_ns: int
    x: float
    y: float
    z: float
    yaw: float
    corrected: tuple[float, float, float, float]  # sums of corrections: x, y, z (m) and yaw (rad)


class PoseFusion:
    """An estimator that follows another one, and external poses where they come.

    The other estimator moves the pose on. A pose from outside corrects it at the time of its measurement: a Kalman
    filter for each of x, y, z and yaw, whose uncertainty grows as that of the other estimator does, or faster where
    the poses show that it is worse than it says. What has moved since then stays. The first pose says where the origin
    of `odom` is in the world outside.
    """

    def __init__(self, spec: RobotSpec, estimator: Estimator) -> None:
        self._estimator = estimator
        declared = {sensor.name: sensor for sensor in spec.sensors if sensor.kind == "external_pose"}
        self._mountings = {name: SensorMounting(spec, sensor) for name, sensor in declared.items()}
        self._axes = tuple(k for k, name in ((X, "x"), (Y, "y"), (Z, "z"), (YAW, "yaw")) if name in spec.base_motion)
        self._sigmas = {
            name: (
                max(sensor.position_noise, MIN_POSITION_SIGMA_M),
                max(sensor.angle_noise, MIN_YAW_SIGMA_RAD),
            )
            for name, sensor in declared.items()
        }
        self._timeouts = {
            name: max(MISSED_POSES / sensor.rate + sensor.delay, MIN_TIMEOUT_S) for name, sensor in declared.items()
        }
        self.restart()

    def restart(self) -> None:
        self._estimator.restart()
        self._past: deque[_Past] = deque()
        self._origins: dict[str, tuple[Vector, float]] = {}  # of odom in the world of each sensor: place and yaw
        self._last_ns: dict[str, int] = {}  # of the pose of each sensor
        self._outliers = 0  # in a row
        self._rejected = 0  # in all
        self._place = [0.0, 0.0, 0.0, 0.0]  # fused x, y, z (m), yaw (rad)
        self._corrected = (0.0, 0.0, 0.0, 0.0)
        self._inner: StateEstimate | None = None
        self._inner_yaw = 0.0
        self._now_ns = 0
        self._deviation = [0.0] * 6  # standard deviations of the fused pose
        self._inflation = 1.0

    @property
    def is_used(self) -> bool:
        """True where an external pose has come, and has not stopped."""
        return bool(self._last_ns) and not self._lost(self._past[-1].time_ns if self._past else 0)

    def update(self, measured: Observation) -> None:
        self._estimator.update(measured)
        if not self._mountings:
            return
        self._now_ns = measured.time_ns
        poses = [
            reading
            for reading in measured.readings
            if isinstance(reading, PoseReading) and reading.sensor in self._mountings
        ]
        if poses or not self._past or self._now_ns - self._past[-1].time_ns >= HISTORY_PERIOD_NS:
            self._follow()
        if self._inner is not None:
            for pose in poses:
                self._correct(pose, measured)

    def estimate(self) -> StateEstimate | None:
        if not self._mountings:
            return self._estimator.estimate()
        if not self._past or self._past[-1].time_ns != self._now_ns:
            self._follow()
        return None if self._inner is None else self._fused(self._inner, self._now_ns)

    def _follow(self) -> None:
        """Move the fused pose on to the present, and remember it."""
        estimate = self._estimator.estimate()
        if estimate is not None:
            self._move(estimate)
            self._remember(self._now_ns)

    def _move(self, estimate: StateEstimate) -> None:
        """Move the fused pose by what the other estimator has moved, turned into the fused heading."""
        base, before = estimate.base, self._inner
        yaw = Heading.of(base.quaternion).yaw
        deviation = [math.sqrt(variance) for variance in estimate.pose_variance]
        if before is None:
            self._place = [*base.position, yaw]
            self._deviation = deviation
        else:
            c, s = math.cos(self._place[3] - self._inner_yaw), math.sin(self._place[3] - self._inner_yaw)
            dx, dy, dz = (new - old for new, old in zip(base.position, before.base.position, strict=True))
            self._place[0] += c * dx - s * dy
            self._place[1] += s * dx + c * dy
            self._place[2] += dz
            self._place[3] += math.remainder(yaw - self._inner_yaw, math.tau)
            for k, variance in enumerate(before.pose_variance):
                growth = self._inflation * (deviation[k] - math.sqrt(variance))
                self._deviation[k] = max(self._deviation[k] + growth, 0.0)
        self._inner, self._inner_yaw = estimate, yaw

    def _remember(self, now: int) -> None:
        x, y, z, yaw = self._place
        self._past.append(_Past(now, x, y, z, yaw, self._corrected))
        while self._past[0].time_ns < now - HISTORY_S * 1e9:
            self._past.popleft()

    def _at(self, time_ns: int) -> tuple[float, float, float, float] | None:
        """Return the pose at a past time as it is known now; None where it is not in the history."""
        i = bisect_right(self._past, time_ns, key=lambda past: past.time_ns)
        if i == 0 or time_ns > self._past[-1].time_ns:
            return None
        late, early = self._past[min(i, len(self._past) - 1)], self._past[i - 1]
        gap = late.time_ns - early.time_ns
        share = (time_ns - early.time_ns) / gap if gap else 0.0
        x, y, z, yaw = (
            a + share * (b - a) + now - then
            for a, b, now, then in zip(
                (early.x, early.y, early.z, early.yaw),
                (late.x, late.y, late.z, late.yaw),
                self._corrected,
                early.corrected,
                strict=True,
            )
        )
        return x, y, z, yaw

    def _correct(self, reading: PoseReading, measured: Observation) -> None:
        then = self._at(reading.time_ns)
        if then is None or not all(map(math.isfinite, (*reading.position, *reading.quaternion))):
            self._rejected += 1
            return
        place, yaw = self._mountings[reading.sensor].base_pose(reading, measured, self._attitude(then[3]))
        if reading.sensor not in self._origins:
            self._origins[reading.sensor] = _origin(place, yaw, then)
        x, y, z, yaw = _in_odom(place, yaw, self._origins[reading.sensor])
        errors = {X: x - then[0], Y: y - then[1], Z: z - then[2], YAW: math.remainder(yaw - then[3], math.tau)}
        sigma, sigma_yaw = self._sigmas[reading.sensor]
        noise = {X: sigma**2, Y: sigma**2, Z: sigma**2, YAW: sigma_yaw**2}
        self._last_ns[reading.sensor] = reading.time_ns
        off = max((abs(errors[k]) / math.sqrt(self._deviation[k] ** 2 + noise[k]) for k in self._axes), default=0.0)
        is_outlier = off > MAX_DEVIATION
        inflation = self._inflation * math.exp(INFLATION_GAIN * (min(off, 3.0) ** 2 - EXPECTED_SQUARE))
        self._inflation = min(max(inflation, 1.0), MAX_INFLATION)
        self._outliers = self._outliers + 1 if is_outlier else 0
        if is_outlier and self._outliers <= MAX_OUTLIERS:
            self._rejected += 1
            return
        corrections = [0.0] * 4
        for k in self._axes:
            variance = self._deviation[k] ** 2
            gain = 1.0 if is_outlier else variance / (variance + noise[k])
            corrections[min(k, 3)] = gain * errors[k]
            self._deviation[k] = math.sqrt((1.0 - gain) * variance + (noise[k] if is_outlier else 0.0))
        self._outliers = 0
        dx, dy, dz, dyaw = corrections
        a, b, c, d = self._corrected
        self._corrected = (a + dx, b + dy, c + dz, d + dyaw)
        for i, correction in enumerate(corrections):
            self._place[i] += correction
        last = self._past[-1]
        x, y, z, yaw = self._place
        self._past[-1] = _Past(last.time_ns, x, y, z, yaw, self._corrected)

    def _attitude(self, yaw: float) -> tuple[float, float, float, float]:
        """Return the attitude with the fused yaw."""
        assert self._inner is not None
        half = 0.5 * (yaw - self._inner_yaw)
        w, x, y, z = qmult((math.cos(half), 0.0, 0.0, math.sin(half)), self._inner.base.quaternion).tolist()
        return w, x, y, z

    def _fused(self, estimate: StateEstimate, now: int) -> StateEstimate:
        base = estimate.base
        x, y, z, yaw = self._place
        turn = yaw - self._inner_yaw
        c, s = math.cos(turn), math.sin(turn)
        vx, vy, vz = base.linear
        attitude = self._attitude(yaw) if turn else base.quaternion
        fused = BaseState((x, y, z), attitude, (c * vx - s * vy, s * vx + c * vy, vz), base.angular)
        a, b, d, e, f, g = (value * value for value in self._deviation)
        variance: Six = (a, b, d, e, f, g)
        return replace(estimate, base=fused, pose_variance=variance, note=self._note(estimate.note, now))

    def _lost(self, now: int) -> list[str]:
        return [name for name, last in self._last_ns.items() if now - last > self._timeouts[name] * 1e9]

    def _note(self, note: str, now: int) -> str:
        if self._outliers:
            note = f"{note}; " if note else ""
            return f"{note}external poses are far from the estimate and are not used: {self._rejected} so far"
        lost = self._lost(now)
        if not lost:
            return note
        age = (now - self._last_ns[lost[0]]) * 1e-9
        return f"{f'{note}; ' if note else ''}no pose from {lost[0]} for {age:.1f} s: check the camera"


def _origin(place: Vector, yaw: float, odom: tuple[float, float, float, float]) -> tuple[Vector, float]:
    """Return place and yaw of the origin of odom in the world in which the base is at `place`."""
    turn = yaw - odom[3]
    c, s = math.cos(turn), math.sin(turn)
    x, y, z = place
    return (x - c * odom[0] + s * odom[1], y - s * odom[0] - c * odom[1], z - odom[2]), turn


def _in_odom(place: Vector, yaw: float, origin: tuple[Vector, float]) -> tuple[float, float, float, float]:
    (x0, y0, z0), turn = origin
    c, s = math.cos(turn), math.sin(turn)
    x, y = place[0] - x0, place[1] - y0
    return c * x + s * y, c * y - s * x, place[2] - z0, yaw - turn
