"""Heading of a robot from the readings of an IMU alone."""

from __future__ import annotations

import math

from crawler_core.sensors.link_motion import Rotation, add, cross, multiply, rotate, rpy_matrix, scale
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import ImuReading, Vector

MAX_REST_RATE = math.radians(3.0)  # rad/s about the mean; a robot that turns faster does not stand
LEVELLING_RATE = 0.3  # 1/s, at which the mean force levels roll and pitch: slow beside a stride
MAX_GAP_S = 0.2  # between two readings; over a longer gap the heading is lost
LEVEL: Rotation = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO: Vector = (0.0, 0.0, 0.0)


class GyroHeading:
    """Integrates the rates of an IMU on the base, less their bias, which it measures while the robot stands.

    The mean specific force keeps roll and pitch level. Nothing corrects the heading, which drifts by the error of the
    bias.
    """

    def __init__(self, sensor: SensorSpec, rest: float) -> None:
        """`rest` (s) is the time at rest that gives the bias."""
        self._sensor = sensor
        self._mount = rpy_matrix(sensor.rpy)
        self._rest = rest
        self.restart()

    def restart(self) -> None:
        """Discard the bias and the heading."""
        self.is_calibrated = False  # the bias is known
        self.heading = 0.0  # rad to the left since then, without jumps
        self.gaps = 0  # over which the heading was lost
        self._attitude = LEVEL  # of the base in a level frame
        self._bias = ZERO
        self._last: ImuReading | None = None
        self._last_rate = ZERO  # rad/s, in the axes of the base
        self._clear_rest()

    @property
    def time_ns(self) -> int | None:
        """The time of the last reading."""
        return None if self._last is None else self._last.time_ns

    def add(self, reading: ImuReading, at_rest: bool) -> None:
        """Take the next reading. Those of other sensors are ignored, and those that are older than the last one."""
        last = self._last
        if reading.sensor != self._sensor.name or (last is not None and reading.time_ns <= last.time_ns):
            return
        rate, force = rotate(self._mount, reading.angular), rotate(self._mount, reading.linear)
        if at_rest:
            self._measure_bias(rate, force, reading.time_ns)
        else:
            self._clear_rest()
        if self.is_calibrated and last is not None:
            self._turn(rate, force, 1e-9 * (reading.time_ns - last.time_ns))
        self._last, self._last_rate = reading, rate

    def _clear_rest(self) -> None:
        self._rest_readings, self._rest_begin_ns = 0, 0
        self._rate_sum = self._force_sum = ZERO

    def _measure_bias(self, rate: Vector, force: Vector, time_ns: int) -> None:
        if self._rest_readings:
            mean = scale(self._rate_sum, 1.0 / self._rest_readings)
            if max(abs(a - b) for a, b in zip(rate, mean, strict=True)) > MAX_REST_RATE:
                self._clear_rest()
        if not self._rest_readings:
            self._rest_begin_ns = time_ns
        self._rest_readings += 1
        self._rate_sum, self._force_sum = add(self._rate_sum, rate), add(self._force_sum, force)
        if 1e-9 * (time_ns - self._rest_begin_ns) >= self._rest:
            self._bias = scale(self._rate_sum, 1.0 / self._rest_readings)
            if not self.is_calibrated:
                x, y, z = self._force_sum
                self._attitude = rpy_matrix((math.atan2(y, z), math.atan2(-x, math.hypot(y, z)), 0.0))
            self.is_calibrated = True
            self._clear_rest()

    def _turn(self, rate: Vector, force: Vector, seconds: float) -> None:
        if seconds > MAX_GAP_S:
            self.gaps += 1
            return
        mean = scale(add(rate, self._last_rate), 0.5)
        turn = add(mean, scale(self._bias, -1.0))
        if size := math.hypot(*force):
            turn = add(turn, scale(cross(force, self._attitude[2]), LEVELLING_RATE / size))
        before = self._yaw
        self._attitude = multiply(self._attitude, _rotation(scale(turn, seconds)))
        self.heading += math.remainder(self._yaw - before, math.tau)

    @property
    def _yaw(self) -> float:
        return math.atan2(self._attitude[1][0], self._attitude[0][0])


def _rotation(vector: Vector) -> Rotation:
    """Return the matrix of a rotation vector (rad), by Rodrigues' formula."""
    x, y, z = vector
    square = x * x + y * y + z * z
    angle = math.sqrt(square)
    s, c = (math.sin(angle) / angle, (1.0 - math.cos(angle)) / square) if angle > 1e-6 else (1.0, 0.5)
    return (
        (1.0 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y),
        (c * x * y + s * z, 1.0 - c * (x * x + z * z), c * y * z - s * x),
        (c * x * z - s * y, c * y * z + s * x, 1.0 - c * (x * x + y * y)),
    )
