"""The URDF of a robot: its xacro, run on the effective robot file."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

from crawler_core.description.xacro_file import XacroFile
from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec


def build_urdf(spec: RobotSpec) -> str:
    """The URDF of `spec` with its overrides, from `<name>.urdf.xacro` beside the robot file.

    Raises UserError where xacro is not installed, or the file is missing or cannot be expanded.
    """
    source = spec.directory / f"{spec.name}.urdf.xacro"
    if not source.exists():
        raise UserError(f"the robot '{spec.name}' has no {source}: a URDF is made from a xacro beside its robot.yaml.")
    return _expanded(source, source.stat().st_mtime_ns, spec.text)


def weight_of(spec: RobotSpec) -> float:
    """Of the whole robot by its URDF, N. Raises UserError as `build_urdf` does."""
    masses = ElementTree.fromstring(build_urdf(spec)).iterfind("link/inertial/mass")
    return spec.parameters["gravity"] * sum(float(mass.get("value", "0")) for mass in masses)


@lru_cache(maxsize=8)  # a stack asks twice for the same: to publish it, and to simulate it
def _expanded(source: Path, changed_ns: int, document: str) -> str:
    with tempfile.TemporaryDirectory() as directory:
        robot_file = Path(directory) / "robot.yaml"
        robot_file.write_text(document)
        file = XacroFile(source, readable=[robot_file])
        try:
            return file.urdf({"robot_file": str(robot_file)})
        except Exception as error:  # a file's mistakes come out of xacro as anything
            raise UserError(f"{source} cannot be expanded: {error or type(error).__name__}.") from error
