"""A sensor as the robot file declares it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from crawler_core.errors import UserError
from crawler_core.parameters import parameter

HARSH_FACTOR = 3.0  # of the declared errors and delays, in the profile `harsh`
DEFAULT_PROFILE = "default"  # of a backend
PROFILES = ("ideal", "typical", "harsh")


def _error(unit: str, doc: str) -> Any:
    return parameter(0.0, unit=unit, lower=0.0, upper=1e6, doc=doc)


@dataclass(frozen=True)
class SensorSpec:
    """One sensor. Errors are standard deviations: noise of each reading, bias of a whole run.

    The file's numbers are those of the profile `typical`. Angles are in rad here, in degrees in robot.yaml.
    """

    name: str
    kind: str = parameter(
        "", choices=("imu", "contact_switch", "foot_force", "battery", "external_pose"), doc="what it measures"
    )
    link: str = parameter("", doc="that carries it; empty: the base link")
    foot: str = parameter("", doc="under which it is, of a contact_switch or foot_force")
    required: bool = parameter(False, doc="without it the torque goes off; else the run goes on with less")
    rate: float = parameter(100.0, unit="Hz", lower=0.01, upper=4000.0, doc="readings per second")
    delay: float = parameter(0.0, unit="s", lower=0.0, upper=1.0, doc="from a measurement to its arrival")
    loss: float = parameter(0.0, lower=0.0, upper=0.99, doc="share of the readings that never arrive")
    x: float = parameter(0.0, unit="m", lower=-10.0, upper=10.0, doc="of its place in the link's frame")
    y: float = parameter(0.0, unit="m", lower=-10.0, upper=10.0, doc="of its place in the link's frame")
    z: float = parameter(0.0, unit="m", lower=-10.0, upper=10.0, doc="of its place in the link's frame")
    roll: float = parameter(0.0, unit="degrees", lower=-180.0, upper=180.0, doc="of its axes in the link's frame")
    pitch: float = parameter(0.0, unit="degrees", lower=-180.0, upper=180.0, doc="of its axes in the link's frame")
    yaw: float = parameter(0.0, unit="degrees", lower=-180.0, upper=180.0, doc="of its axes in the link's frame")
    gyro_noise: float = _error("rad/s", "of an IMU's rates")
    gyro_bias: float = _error("rad/s", "of an IMU's rates")
    gyro_range: float = parameter(math.inf, unit="rad/s", lower=0.1, doc="beyond which an IMU's rates saturate")
    accel_noise: float = _error("m/s^2", "of an IMU's specific force")
    accel_bias: float = _error("m/s^2", "of an IMU's specific force")
    accel_range: float = parameter(math.inf, unit="m/s^2", lower=1.0, doc="beyond which its specific force saturates")
    threshold: float = parameter(0.0, unit="N", lower=0.0, upper=1e4, doc="of force, above which a switch is closed")
    force_noise: float = _error("N", "of a foot_force")
    voltage: float = parameter(12.0, unit="V", lower=0.5, upper=1000.0, doc="nominal, of a simulated battery")
    voltage_noise: float = _error("V", "of a battery's voltage")
    resistance: float = parameter(0.1, unit="Ohm", lower=0.0, upper=1e3, doc="of a battery, by which its voltage falls")
    position_noise: float = _error("m", "of an external pose")
    angle_noise: float = parameter(0.0, unit="degrees", lower=0.0, upper=90.0, doc="of an external pose's attitude")

    def with_profile(self, profile: str) -> SensorSpec:
        """Return the sensor in a profile: without errors and delay, as declared, or `HARSH_FACTOR` times worse."""
        if profile == "typical":
            return self
        factor = 0.0 if profile == "ideal" else HARSH_FACTOR
        errors = {name: factor * getattr(self, name) for name in ERROR_NAMES}
        return replace(self, **errors, loss=min(factor * self.loss, 0.9))

    @property
    def place(self) -> tuple[float, float, float]:
        """Its place in the link's frame (m)."""
        return self.x, self.y, self.z

    @property
    def rpy(self) -> tuple[float, float, float]:
        """Roll, pitch and yaw of its axes in the link's frame (rad)."""
        return self.roll, self.pitch, self.yaw


ERROR_NAMES = (
    *("delay", "gyro_noise", "gyro_bias", "accel_noise", "accel_bias", "force_noise", "voltage_noise"),
    *("position_noise", "angle_noise"),
)
FOOT_KINDS = ("contact_switch", "foot_force")
TOPIC_KINDS = ("external_pose",)  # of sensors whose readings arrive as messages, and not through a backend


def check_sensor(sensor: SensorSpec, feet: Mapping[str, Any]) -> None:
    """Raise UserError for a sensor that contradicts itself or names a foot that the robot does not have."""
    label = f"sensors.{sensor.name}"
    if not sensor.kind:
        raise UserError(f"{label}.kind is missing.")
    if sensor.kind in FOOT_KINDS:
        if sensor.foot not in feet:
            raise UserError(
                f"{label}.foot = '{sensor.foot}' is not allowed: a {sensor.kind} is under one of {', '.join(feet)}."
            )
    elif sensor.foot:
        raise UserError(f"{label}.foot is not allowed: a sensor of kind {sensor.kind} is on a link.")
