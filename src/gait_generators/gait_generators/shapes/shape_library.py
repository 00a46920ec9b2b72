"""Libraries of shapes of a robot: `gaits/<library>/<shape>.yaml` in its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from crawler_core.errors import UserError, unknown_name
from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.shapes.shape import Shape
from gait_generators.shapes.shape_file import ShapeFile, read_shape

FILE_SUFFIXES = (".yaml", ".yml")


def choose_shape(spec: RobotSpec, library: str, shape: str, omega: float) -> Shape:
    """Return a shape for the robot's joints: of a file, of a library by name, or the library's for the nearest omega.

    Raises UserError where there is no such shape, or where it moves other joints.
    """
    file = read_shape(Path(shape)) if shape.endswith(FILE_SUFFIXES) else _of_library(spec, library, shape, omega)
    return for_joints(file, spec.actuated_names)


def library_names(spec: RobotSpec) -> tuple[str, ...]:
    return tuple(sorted({path.parent.name for path in (spec.directory / "gaits").glob("*/*.yaml")}))


def read_library(spec: RobotSpec, library: str) -> Mapping[str, ShapeFile]:
    """Return the shapes of a library by name. Raises UserError for an unknown library and for an invalid file."""
    known = library_names(spec)
    if not known:
        raise UserError(f"{spec.name} has no library of shapes: set gait.shape to the path of a shape file.")
    if library not in known:
        raise unknown_name("gait.library", library, known)
    return _read(spec.directory / "gaits" / library)


def for_joints(file: ShapeFile, joints: tuple[str, ...]) -> Shape:
    """Return the file's shape in the order of `joints`. Raises UserError where it moves others."""
    shape = file.shape
    if set(shape.joints) != set(joints):
        raise UserError(
            f"the shape '{file.name}' moves {', '.join(shape.joints)}, but the robot's actuated joints are "
            f"{', '.join(joints)}: choose another shape."
        )
    order = [shape.joints.index(name) for name in joints]
    return replace(shape, joints=joints, mean=shape.mean[order], cos=shape.cos[order], sin=shape.sin[order])


def _of_library(spec: RobotSpec, library: str, name: str, omega: float) -> ShapeFile:
    shapes = read_library(spec, library)
    if name:
        if name not in shapes:
            raise unknown_name(f"shape in the library '{library}'", name, shapes)
        return shapes[name]
    return min(shapes.values(), key=lambda file: abs(_omega(file) - omega))


def _omega(file: ShapeFile) -> float:
    assert file.tuned_for is not None  # _read checks it
    return file.tuned_for.omega


@lru_cache(maxsize=16)
def _read(directory: Path) -> Mapping[str, ShapeFile]:
    """Read a library. It is read once, since a gait is built again for every change of a parameter."""
    files = [read_shape(path) for path in sorted(directory.glob("*.yaml"))]
    for file in files:
        if file.tuned_for is None:
            raise UserError(f"{directory / file.name}.yaml: tuned_for is missing, and a library chooses by omega.")
    return {file.name: file for file in files}
