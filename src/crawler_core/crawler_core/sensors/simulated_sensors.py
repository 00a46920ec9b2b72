"""Simulated sensors: what the sensors of a robot read where a simulation knows the truth."""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Sequence
from zlib import crc32

import numpy as np
from transforms3d.quaternions import axangle2quat, mat2quat, qmult

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.link_motion import (
    LinkMotion,
    Rotation,
    add,
    multiply,
    rotate,
    rotate_back,
    rpy_matrix,
    scale,
)
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import (
    BatteryReading,
    ContactMode,
    ForceReading,
    ImuReading,
    Observation,
    PoseReading,
    SensorReading,
    SwitchReading,
    Vector,
)

GRID_TOLERANCE_NS = 1000  # by which a tick may precede the time of a measurement


class SimulatedSensors:
    """The sensors of one robot. Each has noise of its own: one sensor more does not change that of the others.

    A sensor measures in the first tick at or after each multiple of its period, once a tick at most. Two runs with one
    seed are equal to the bit.
    """

    def __init__(self, spec: RobotSpec, profile: str, seed: int = 0, without: Collection[str] = ()) -> None:
        """Simulate all sensors but those named in `without`. Raise UserError for a link that the robot lacks."""
        declared = [sensor.with_profile(profile) for sensor in spec.sensors if sensor.name not in without]
        self._sensors = [_KINDS[sensor.kind](spec, sensor, seed) for sensor in declared]
        self.restart()

    def restart(self) -> None:
        """Begin again, with the same errors as the first time."""
        self._readings: tuple[SensorReading, ...] = ()
        self._time_ns: int | None = None  # of the last update
        for sensor in self._sensors:
            sensor.restart()

    def update(self, truth: Observation) -> tuple[SensorReading, ...]:
        """Return the readings that arrive at the time of a state; asked again for the same time, the same ones.

        Time that goes back begins a new run.
        """
        now = truth.time_ns
        if self._time_ns is not None and now <= self._time_ns:
            if now == self._time_ns:
                return self._readings
            self.restart()
        self._time_ns = now
        readings: list[SensorReading] = []
        for sensor in self._sensors:
            if now >= sensor.next_ns:
                sensor.update(truth, readings)
        self._readings = tuple(readings)
        return self._readings


class SimulatedSensor(ABC):
    """One sensor: its schedule, its delay and its losses."""

    def __init__(self, spec: RobotSpec, sensor: SensorSpec, seed: int) -> None:
        self._sensor = sensor
        self._seed = (seed, crc32(sensor.name.encode()))
        self._delay_ns = round(sensor.delay * 1e9)
        self._period_ns = 1e9 / sensor.rate

    def restart(self) -> None:
        """Begin again, with the same errors as the first time."""
        self._random = np.random.default_rng(self._seed)
        self._start_ns: int | None = None  # of the first state
        self._due_ns = 0  # of the next measurement
        self._under_way: deque[tuple[int, SensorReading]] = deque()  # with the times of their arrival
        self.next_ns = -sys.maxsize  # before which an update changes nothing
        self.draw_bias()

    def update(self, truth: Observation, arrived: list[SensorReading]) -> None:
        """Measure if it is time, and append the readings that have arrived."""
        now = truth.time_ns
        if self._start_ns is None:
            self._start_ns = self._due_ns = now
        if now + GRID_TOLERANCE_NS >= self._due_ns:
            count = int((now + GRID_TOLERANCE_NS - self._start_ns) / self._period_ns) + 1
            self._due_ns = self._start_ns + round(count * self._period_ns)
            self._measure(truth, arrived)
        under_way = self._under_way
        while under_way and under_way[0][0] <= now:
            arrived.append(under_way.popleft()[1])
        due_ns = self._due_ns - GRID_TOLERANCE_NS
        self.next_ns = min(due_ns, under_way[0][0]) if under_way else due_ns

    def _measure(self, truth: Observation, arrived: list[SensorReading]) -> None:
        reading = self.measure(truth)
        is_lost = bool(self._sensor.loss) and self._random.random() < self._sensor.loss
        if reading is None or is_lost:
            return
        if self._delay_ns:
            self._under_way.append((truth.time_ns + self._delay_ns, reading))
        else:
            arrived.append(reading)

    def draw_bias(self) -> None:  # noqa: B027
        """Draw the errors that are constant in a run."""

    @abstractmethod
    def measure(self, truth: Observation) -> SensorReading | None:
        """Return a reading of the present; None where it cannot be had."""

    def _noise(self, deviation: float) -> float:
        return deviation * float(self._random.standard_normal()) if deviation else 0.0


class SimulatedImu(SimulatedSensor):
    """Angular rate and specific force of a place on a link.

    The force is the mean since the measurement before, so that no impact between two measurements is lost.
    """

    def __init__(self, spec: RobotSpec, sensor: SensorSpec, seed: int) -> None:
        super().__init__(spec, sensor, seed)
        self._link = LinkMotion(spec, sensor.link)
        self._mount = rpy_matrix(sensor.rpy) if any(sensor.rpy) else None
        self._gravity = (0.0, 0.0, spec.parameters["gravity"])
        self._has_noise = bool(sensor.gyro_noise or sensor.accel_noise)

    def restart(self) -> None:
        super().restart()
        self._before: tuple[int, Vector] | None = None  # time (ns) and velocity (m/s) of the last measurement

    def draw_bias(self) -> None:
        a, b, c, d, e, f = self._random.standard_normal(6).tolist()
        self._gyro_bias = scale((a, b, c), self._sensor.gyro_bias)
        self._accel_bias = scale((d, e, f), self._sensor.accel_bias)

    def measure(self, truth: Observation) -> SensorReading | None:
        if truth.base is None:
            return None
        sensor, now = self._sensor, truth.time_ns
        state = self._link.state(truth.base, truth)
        velocity = state.velocity_at(sensor.place)
        before, self._before = self._before, (now, velocity)
        if before is None or now == before[0]:
            return None
        (u, v, w), per_second = before[1], 1e9 / (now - before[0])
        acceleration = (velocity[0] - u) * per_second, (velocity[1] - v) * per_second, (velocity[2] - w) * per_second
        axes = state.rotation if self._mount is None else multiply(state.rotation, self._mount)
        angular = add(rotate_back(axes, state.angular), self._gyro_bias)
        linear = add(rotate_back(axes, add(acceleration, self._gravity)), self._accel_bias)
        if self._has_noise:
            a, b, c, d, e, f = self._random.standard_normal(6).tolist()
            angular = add(angular, scale((a, b, c), sensor.gyro_noise))
            linear = add(linear, scale((d, e, f), sensor.accel_noise))
        return ImuReading(
            sensor.name, now, _saturated(angular, sensor.gyro_range), _saturated(linear, sensor.accel_range)
        )


class SimulatedFootSensor(SimulatedSensor):
    """A sensor under a foot."""

    def __init__(self, spec: RobotSpec, sensor: SensorSpec, seed: int) -> None:
        super().__init__(spec, sensor, seed)
        self._foot = spec.foot_names.index(sensor.foot)


class SimulatedSwitch(SimulatedFootSensor):
    """A switch, closed by a force above its threshold or, where the force is not known, by any known contact."""

    def measure(self, truth: Observation) -> SensorReading | None:
        if not truth.contacts:
            return None
        contact = truth.contacts[self._foot]
        force = contact.force[2]
        has_contact = contact.mode not in (ContactMode.UNKNOWN, ContactMode.OPEN)
        is_closed = force > self._sensor.threshold if math.isfinite(force) else has_contact
        return SwitchReading(self._sensor.name, truth.time_ns, is_closed)


class SimulatedFootForce(SimulatedFootSensor):
    """The normal force of the ground on a foot; none where it is not known."""

    def measure(self, truth: Observation) -> SensorReading | None:
        if not truth.contacts:
            return None
        force = truth.contacts[self._foot].force[2]
        force = force if math.isfinite(force) else 0.0
        return ForceReading(self._sensor.name, truth.time_ns, force + self._noise(self._sensor.force_noise))


class SimulatedBattery(SimulatedSensor):
    """A battery whose voltage falls with the power that the joints take."""

    def measure(self, truth: Observation) -> SensorReading | None:
        sensor = self._sensor
        power = max(0.0, float(np.nansum(truth.effort * truth.velocity)))
        current = power / sensor.voltage
        voltage = sensor.voltage - sensor.resistance * current + self._noise(sensor.voltage_noise)
        return BatteryReading(sensor.name, truth.time_ns, voltage, current)


class SimulatedPose(SimulatedSensor):
    """The pose of a link, as a camera sees it."""

    def __init__(self, spec: RobotSpec, sensor: SensorSpec, seed: int) -> None:
        super().__init__(spec, sensor, seed)
        self._link = LinkMotion(spec, sensor.link)
        self._is_base = sensor.link == spec.base_link

    def measure(self, truth: Observation) -> SensorReading | None:
        if truth.base is None:
            return None
        sensor = self._sensor
        state = self._link.state(truth.base, truth)
        a, b, c, d, e, f = self._random.standard_normal(6).tolist()
        place = add(state.position, rotate(state.rotation, sensor.place)) if any(sensor.place) else state.position
        position = add(place, scale((a, b, c), sensor.position_noise))
        quaternion = truth.base.quaternion if self._is_base else _quaternion(state.rotation)
        if any(sensor.rpy):
            quaternion = _product(quaternion, _quaternion(rpy_matrix(sensor.rpy)))
        if angle := sensor.angle_noise * math.hypot(d, e, f):
            quaternion = _product(quaternion, axangle2quat((d, e, f), angle).tolist())
        return PoseReading(sensor.name, truth.time_ns, position, quaternion)


_KINDS: dict[str, type[SimulatedSensor]] = {
    "imu": SimulatedImu,
    "contact_switch": SimulatedSwitch,
    "foot_force": SimulatedFootForce,
    "battery": SimulatedBattery,
    "external_pose": SimulatedPose,
}


def _saturated(values: Vector, limit: float) -> Vector:
    x, y, z = values
    if limit == math.inf or (abs(x) <= limit and abs(y) <= limit and abs(z) <= limit):
        return values
    return _clamped(x, limit), _clamped(y, limit), _clamped(z, limit)


def _clamped(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)


def _quaternion(rotation: Rotation) -> tuple[float, float, float, float]:
    w, x, y, z = mat2quat(np.array(rotation)).tolist()
    return w, x, y, z


def _product(first: Sequence[float], second: Sequence[float]) -> tuple[float, float, float, float]:
    w, x, y, z = qmult(first, second).tolist()
    return w, x, y, z
