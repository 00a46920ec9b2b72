"""Detectors of the ground under the foot, one for each source that the law can use."""

from __future__ import annotations

from abc import ABC, abstractmethod

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.link_motion import rpy_matrix
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import ContactMode, ImuReading, SwitchReading
from crawler_models.bolt.simulation.running import RunningParameters
from hybrid_controller.laws.law import Measured

READING_TIMEOUT_NS = 100_000_000  # without a reading, after which a sensor shows nothing
SENSOR_KIND_OF_SOURCE = {"switch": "contact_switch", "accelerometer": "imu"}


class GroundDetector(ABC):
    """Shows whether the foot is on the ground; None where that is not known."""

    @abstractmethod
    def update(self, measured: Measured) -> bool | None:
        """Take a state and return the contact of its tick."""


class BackendContact(GroundDetector):
    """The contact_states of the backend: the truth in simulations, a switch under the foot on a robot."""

    def __init__(self, foot: str) -> None:
        self._foot = foot

    def update(self, measured: Measured) -> bool | None:
        modes = [contact.mode for contact in measured.contacts if contact.foot == self._foot]
        return None if not modes or modes[0] is ContactMode.UNKNOWN else modes[0] is not ContactMode.OPEN


class NoContact(GroundDetector):
    """No detector: the law takes the contact from the crank's angle, or does without."""

    def update(self, measured: Measured) -> bool | None:
        return None


class SensedContact(GroundDetector):
    """By the readings of one sensor. A sensor that is silent for `READING_TIMEOUT_NS` shows nothing."""

    def __init__(self, sensor: SensorSpec) -> None:
        self._sensor = sensor.name
        self._read_ns: int | None = None
        self._on_ground = False

    def update(self, measured: Measured) -> bool | None:
        for reading in measured.readings:
            if reading.sensor == self._sensor:
                self._read_ns = measured.time_ns
                self.read(reading)
        if self._read_ns is None or measured.time_ns - self._read_ns > READING_TIMEOUT_NS:
            return None
        return self._on_ground

    @abstractmethod
    def read(self, reading: object) -> None:
        """Take a reading of the sensor."""


class SwitchContact(SensedContact):
    """A switch under the foot."""

    def read(self, reading: object) -> None:
        if isinstance(reading, SwitchReading):
            self._on_ground = reading.closed


class AccelerometerContact(SensedContact):
    """The body's specific force upward, by two thresholds and a dead time: the rail keeps the body upright."""

    def __init__(self, sensor: SensorSpec, parameters: RunningParameters) -> None:
        super().__init__(sensor)
        self._up = rpy_matrix(sensor.rpy)[2]
        self._landing, self._flight = parameters.landing_force, parameters.flight_force
        self._dead_time_ns = round(1e9 * parameters.dead_time)
        self._changed_ns: int | None = None

    def read(self, reading: object) -> None:
        if not isinstance(reading, ImuReading):
            return
        if self._changed_ns is not None and 0 <= reading.time_ns - self._changed_ns < self._dead_time_ns:
            return
        force = sum(a * b for a, b in zip(self._up, reading.linear, strict=True))
        changes = force < self._flight if self._on_ground else force > self._landing
        if changes:
            self._on_ground, self._changed_ns = not self._on_ground, reading.time_ns


def make_ground_detector(spec: RobotSpec, parameters: RunningParameters) -> GroundDetector:
    """Return the parameters' source. Raise UserError where the robot lacks its sensor."""
    source, foot = parameters.contact, spec.foot_names[0]
    if source == "backend":
        return BackendContact(foot)
    if source not in SENSOR_KIND_OF_SOURCE:
        return NoContact()
    kind = SENSOR_KIND_OF_SOURCE[source]
    place = spec.base_link if kind == "imu" else foot
    for sensor in spec.sensors:
        if sensor.kind == kind and place in (sensor.link, sensor.foot):
            return AccelerometerContact(sensor, parameters) if kind == "imu" else SwitchContact(sensor)
    raise UserError(
        f"controller.contact = {source} needs a sensor of kind {kind} at {place}, and {spec.name} declares none: "
        f"add it to sensors of its robot file, or set controller.contact to backend, angle or none."
    )
