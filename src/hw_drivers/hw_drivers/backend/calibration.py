"""The calibration file: the zeros of one robot's joints and gyroscopes, as `crawler hw calibrate` measured them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from crawler_core.errors import UserError, unknown_name
from crawler_core.files import read_yaml
from crawler_core.parameters import ParameterInfo, check_value
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.robot.schema import check_mapping
from crawler_core.types import Vector
from hw_drivers.backend.hardware_map import BusMap
from hw_drivers.sensors.sensor_map import SensorMap

FILE_HEADER = (
    "# The motors' angles (degrees) where the joints' angles are 0, and the rates (rad/s) that gyroscopes show\n"
    "# at rest, measured by 'crawler hw calibrate'.\n"
)
MAX_GYRO_BIAS_RAD_S = 1.0


def calibration_path(robot: str) -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "crawler" / f"{robot}.calibration.yaml"


@dataclass(frozen=True)
class Calibration:
    """Zeros of joints and biases of gyroscopes, as measured on one robot."""

    zeros: Mapping[str, float] = field(default_factory=dict)  # rad, by joint
    gyro_biases: Mapping[str, Vector] = field(default_factory=dict)  # rad/s in the sensor's axes, by sensor


def read_calibration(path: Path, spec: RobotSpec) -> Calibration:
    """Read a file. Raises UserError where it is not one of this robot."""
    document = read_yaml(path)
    if document.get("robot") != spec.name:
        raise UserError(
            f"{path} is the calibration of the robot '{document.get('robot')}', not of '{spec.name}': "
            "name another file."
        )
    zeros = document.get("zero_deg")
    if not isinstance(zeros, dict):
        raise UserError(f"{path}: zero_deg is missing: make the file again with 'crawler hw calibrate'.")
    found = {}
    for name, value in zeros.items():
        if name not in spec.actuated_names:
            raise unknown_name(f"actuated joint in {path}", str(name), spec.actuated_names)
        info = ParameterInfo(str(name), float, 0.0, "degrees", -36000.0, 36000.0, (), "", True)
        found[name] = math.radians(check_value(info, value, label=f"{path}: zero_deg.{name}"))
    biases = {
        str(name): _bias(value, str(name), path, spec)
        for name, value in check_mapping(document.get("gyro_bias") or {}, f"{path}: gyro_bias").items()
    }
    return Calibration(found, biases)


def _bias(value: Any, name: str, path: Path, spec: RobotSpec) -> Vector:
    imus = [sensor.name for sensor in spec.sensors if sensor.kind == "imu"]
    if name not in imus:
        raise unknown_name(f"IMU in {path}", name, imus)
    if not isinstance(value, list) or len(value) != 3:
        raise UserError(
            f"{path}: gyro_bias.{name} = {value} is not allowed: it must be a list of three rates in rad/s."
        )
    limit = MAX_GYRO_BIAS_RAD_S
    info = ParameterInfo(name, float, 0.0, "rad/s", -limit, limit, (), "", True)
    x, y, z = (check_value(info, rate, label=f"{path}: gyro_bias.{name}") for rate in value)
    return x, y, z


def write_calibration(path: Path, robot: str, calibration: Calibration) -> None:
    """Write a file. A crash leaves the old file or the new one, never half of one."""
    document: dict[str, Any] = {
        "robot": robot,
        "zero_deg": {name: round(math.degrees(zero), 4) for name, zero in calibration.zeros.items()},
    }
    if calibration.gyro_biases:
        document["gyro_bias"] = {
            name: [round(rate, 6) for rate in rates] for name, rates in calibration.gyro_biases.items()
        }
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_text(FILE_HEADER + yaml.safe_dump(document, sort_keys=False, default_flow_style=None))
    new.replace(path)


def apply_calibration(buses: Sequence[BusMap], calibration: Calibration) -> tuple[BusMap, ...]:
    """Replace the zeros of the robot file by the measured ones, and give the sensors of the buses their biases."""
    zeros = calibration.zeros
    return tuple(
        replace(
            bus,
            joints=tuple(replace(joint, zero=zeros.get(joint.joint, joint.zero)) for joint in bus.joints),
            sensors=apply_biases(bus.sensors, calibration),
        )
        for bus in buses
    )


def apply_biases(sensors: Sequence[SensorMap], calibration: Calibration) -> tuple[SensorMap, ...]:
    """Give each gyroscope its measured bias."""
    return tuple(replace(one, gyro_bias=calibration.gyro_biases.get(one.name, one.gyro_bias)) for one in sensors)
