"""The calibration file: the zeros of one robot's joints, as `crawler hw calibrate` measured them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import yaml

from crawler_core.errors import UserError, unknown_name
from crawler_core.files import read_yaml
from crawler_core.parameters import ParameterInfo, check_value
from hw_drivers.backend.hardware_map import BusMap

FILE_HEADER = "# The motors' angles (degrees) where the joints' angles are 0, measured by 'crawler hw calibrate'.\n"


def calibration_path(robot: str) -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "crawler" / f"{robot}.calibration.yaml"


def read_zeros(path: Path, robot: str, joints: Sequence[str]) -> dict[str, float]:
    """Read the zeros (rad) of a file. Raises UserError where it is not one of this robot."""
    document = read_yaml(path)
    if document.get("robot") != robot:
        raise UserError(
            f"{path} is the calibration of the robot '{document.get('robot')}', not of '{robot}': name another file."
        )
    zeros = document.get("zero_deg")
    if not isinstance(zeros, dict):
        raise UserError(f"{path}: zero_deg is missing: make the file again with 'crawler hw calibrate'.")
    found = {}
    for name, value in zeros.items():
        if name not in joints:
            raise unknown_name(f"actuated joint in {path}", str(name), joints)
        info = ParameterInfo(str(name), float, 0.0, "degrees", -36000.0, 36000.0, (), "", True)
        found[name] = math.radians(check_value(info, value, label=f"{path}: zero_deg.{name}"))
    return found


def write_zeros(path: Path, robot: str, zeros: Mapping[str, float]) -> None:
    """Write zeros (rad). A crash leaves the old file or the new one, never half of one."""
    document = {"robot": robot, "zero_deg": {name: round(math.degrees(zero), 4) for name, zero in zeros.items()}}
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_text(FILE_HEADER + yaml.safe_dump(document, sort_keys=False))
    new.replace(path)


def apply_calibration(buses: Sequence[BusMap], zeros: Mapping[str, float]) -> tuple[BusMap, ...]:
    """Replace the zeros of the robot file by the measured ones."""
    return tuple(
        replace(bus, joints=tuple(replace(joint, zero=zeros.get(joint.joint, joint.zero)) for joint in bus.joints))
        for bus in buses
    )
