"""The URDF of a robot: its xacro, expanded with the effective robot file.

A robot folder is a program, as any ROS package is: xacro evaluates the Python expressions in it, and `equations` in its
robot.yaml may name a module that is imported. Run only folders that you trust. A recording is data: the URDF in it is
parsed and never expanded, and its YAML is read by `crawler_core.files`, which makes plain data of it.
"""

from __future__ import annotations

import tempfile
import threading
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec

_XACRO_LOCK = threading.Lock()  # xacro keeps its state in its module


def build_urdf(spec: RobotSpec) -> str:
    """Return the URDF of `spec` with its overrides, from `<name>.urdf.xacro` beside the robot file.

    Raise UserError where xacro is not installed, or the file is missing or cannot be expanded.
    """
    source = spec.directory / f"{spec.name}.urdf.xacro"
    if not source.exists():
        raise UserError(f"the robot '{spec.name}' has no {source}: a URDF is made from a xacro beside its robot.yaml.")
    return _expand(source, source.stat().st_mtime_ns, spec.text)


def total_weight(spec: RobotSpec) -> float:
    """Return the weight (N) of the robot by its URDF. Raise UserError as `build_urdf` does."""
    masses = ElementTree.fromstring(build_urdf(spec)).iterfind("link/inertial/mass")
    return spec.parameters["gravity"] * sum(float(mass.get("value", "0")) for mass in masses)


@lru_cache(maxsize=8)  # a stack asks twice for the same: to publish it, and to simulate it
def _expand(source: Path, changed_ns: int, document: str) -> str:
    try:
        import xacro
    except ImportError:
        raise UserError(
            "xacro is not installed: `apt install ros-$ROS_DISTRO-xacro`, or `pip install xacro`."
        ) from None
    with tempfile.TemporaryDirectory() as directory, _XACRO_LOCK:
        robot_file = Path(directory) / "robot.yaml"
        robot_file.write_text(document)
        try:
            return str(xacro.process_file(str(source), mappings={"robot_file": str(robot_file)}).toprettyxml("  "))
        except Exception as error:  # mistakes in the file come out of xacro as anything
            raise UserError(f"{source} cannot be expanded: {error or type(error).__name__}.") from error
