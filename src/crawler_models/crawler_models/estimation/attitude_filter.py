"""Attitude of the base by an inertial measurement unit: its gyro, held upright by gravity."""

from __future__ import annotations

import math

from transforms3d.euler import euler2mat

from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import ImuReading, Vector

Matrix = tuple[float, float, float, float, float, float, float, float, float]  # by rows
IDENTITY: Matrix = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
STANDARD_GRAVITY = 9.80665  # m/s²
MAX_GAP_S = 0.2  # between two readings; over a longer gap nothing is integrated
MIN_REST_S = 0.1  # at rest, before the gyro's mean is believed to be its bias


class AttitudeFilter:
    """A complementary filter after Mahony, with the bias of the gyro learned while the robot stands still.

    Where the robot's weight does not change the filter is right on average over a stride: an acceleration that comes
    and goes cancels. Yaw is the integral of the gyro alone.
    """

    def __init__(self, sensor: SensorSpec, gravity: float, time_constant: float, bias_time: float) -> None:
        """`time_constant` (s) is that of roll and pitch towards gravity, `bias_time` (s) that of the bias."""
        self._to_base = tuple(float(v) for v in euler2mat(*sensor.rpy, axes="sxyz").ravel())
        self._gravity = gravity or STANDARD_GRAVITY
        self._gain = 1.0 / time_constant
        self._bias_gain = 1.0 / (time_constant * bias_time)
        self._bias_sigma = max(sensor.gyro_bias, 1e-4)
        self.restart()

    def restart(self) -> None:
        self.rotation: Matrix = IDENTITY  # from the base's frame to the ground's
        self.rate: Vector = (0.0, 0.0, 0.0)  # rad/s, in the base's frame
        self.yaw_sigma = 0.0  # rad, standard deviation
        self._bias = [0.0, 0.0, 0.0]
        self._rest_s = 0.0
        self._rest_sum = [0.0, 0.0, 0.0]
        self._rest_count = 0
        self._is_bias_known = False
        self._time_ns: int | None = None

    @property
    def has_started(self) -> bool:
        return self._time_ns is not None

    def update(self, reading: ImuReading, at_rest: bool) -> None:
        """Take a reading; `at_rest` says that no joint moves."""
        wx, wy, wz = self._rotate(self._to_base, reading.angular)
        ax, ay, az = self._rotate(self._to_base, reading.linear)
        if not math.isfinite(wx + wy + wz + ax + ay + az):
            return
        if self._time_ns is None:
            self._level(ax, ay, az)
        h = (reading.time_ns - self._time_ns) * 1e-9 if self._time_ns is not None else 0.0
        self._time_ns = reading.time_ns
        if not 0.0 < h <= MAX_GAP_S:
            h = 0.0
        self._learn_bias(wx, wy, wz, h, at_rest)
        r = self.rotation
        ups = (r[6], r[7], r[8])  # the ground's vertical in the base's frame
        length = math.sqrt(ax * ax + ay * ay + az * az)
        ex = ey = ez = 0.0
        if length > 0.3 * self._gravity:
            trust = 1.0 / (1.0 + (8.0 * (length / self._gravity - 1.0)) ** 2)
            scale = trust / length
            ex = scale * (ay * ups[2] - az * ups[1])
            ey = scale * (az * ups[0] - ax * ups[2])
            ez = scale * (ax * ups[1] - ay * ups[0])
        bias = self._bias
        bias[0] -= self._bias_gain * h * ex
        bias[1] -= self._bias_gain * h * ey
        bias[2] -= self._bias_gain * h * ez
        self.rate = (wx - bias[0], wy - bias[1], wz - bias[2])
        x, y, z = self.rate
        self._turn((x + self._gain * ex) * h, (y + self._gain * ey) * h, (z + self._gain * ez) * h)
        self.yaw_sigma += h * (0.1 if self._is_bias_known else 1.0) * self._bias_sigma

    def _learn_bias(self, wx: float, wy: float, wz: float, h: float, at_rest: bool) -> None:
        if not at_rest:
            self._rest_s, self._rest_count, self._rest_sum = 0.0, 0, [0.0, 0.0, 0.0]
            return
        self._rest_s += h
        self._rest_count += 1
        for k, value in enumerate((wx, wy, wz)):
            self._rest_sum[k] += value
        if self._rest_s >= MIN_REST_S:
            self._bias = [value / self._rest_count for value in self._rest_sum]
            self._is_bias_known = True

    def _level(self, ax: float, ay: float, az: float) -> None:
        """Begin with roll and pitch by gravity and no yaw."""
        if math.sqrt(ax * ax + ay * ay + az * az) < 0.5 * self._gravity:
            return
        roll, pitch = math.atan2(ay, az), math.atan2(-ax, math.hypot(ay, az))
        self.rotation = tuple(float(v) for v in euler2mat(roll, pitch, 0.0, axes="sxyz").ravel())  # type: ignore[assignment]

    def _turn(self, x: float, y: float, z: float) -> None:
        """Turn by a small rotation vector (rad) in the base's frame."""
        a, b, c, d, e, f, _, _, _ = self.rotation
        # first order in the angle and normalised after it: a reading turns the robot by a few degrees at most
        half = 0.5 * (x * x + y * y + z * z)
        a1, b1, c1 = a + b * z - c * y - half * a, b + c * x - a * z - half * b, c + a * y - b * x - half * c
        d1, e1, f1 = d + e * z - f * y - half * d, e + f * x - d * z - half * e, f + d * y - e * x - half * f
        error = 0.5 * (a1 * d1 + b1 * e1 + c1 * f1)
        a2, b2, c2 = a1 - error * d1, b1 - error * e1, c1 - error * f1
        d2, e2, f2 = d1 - error * a1, e1 - error * b1, f1 - error * c1
        n, m = 1.0 / math.sqrt(a2 * a2 + b2 * b2 + c2 * c2), 1.0 / math.sqrt(d2 * d2 + e2 * e2 + f2 * f2)
        a2, b2, c2, d2, e2, f2 = a2 * n, b2 * n, c2 * n, d2 * m, e2 * m, f2 * m
        self.rotation = (a2, b2, c2, d2, e2, f2, b2 * f2 - c2 * e2, c2 * d2 - a2 * f2, a2 * e2 - b2 * d2)

    @staticmethod
    def _rotate(m: tuple[float, ...], v: Vector) -> Vector:
        x, y, z = v
        return (
            m[0] * x + m[1] * y + m[2] * z,
            m[3] * x + m[4] * y + m[5] * z,
            m[6] * x + m[7] * y + m[8] * z,
        )
