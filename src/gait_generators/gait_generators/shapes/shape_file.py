"""Shape files: one shape each, in YAML and degrees, with the limits it was tuned for and the equations' prediction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from crawler_core.errors import UserError
from crawler_core.files import read_yaml
from crawler_core.parameters import build, parameter
from crawler_core.robot.schema import check_keys, check_mapping
from gait_generators.shapes.shape import Shape

T = TypeVar("T")
MAX_HARMONICS = 20  # more do not make a smooth motion


@dataclass(frozen=True)
class TunedFor:
    """Limits that a shape was tuned for."""

    omega: float = parameter(1.0, unit="rad/s", lower=0.01, upper=100.0, doc="angular frequency")
    centre: float = parameter(110.0, unit="deg", lower=0.0, upper=360.0, doc="middle of every joint's range")
    swing: float = parameter(18.0, unit="deg", lower=0.1, upper=180.0, doc="largest distance of a joint from there")
    velocity: float = parameter(6.0, unit="rad/s", lower=0.01, upper=1e4, doc="largest speed of a joint")
    acceleration: float = parameter(200.0, unit="rad/s^2", lower=0.1, upper=1e6, doc="largest acceleration of a joint")
    friction: float = parameter(0.172, lower=0.001, upper=10.0, doc="Coulomb's coefficient of the feet")
    friction_spread: float = parameter(0.1, lower=0.0, upper=0.9, doc="share by which each foot's may differ")
    lightest_foot: float = parameter(0.05, lower=0.0, upper=0.5, doc="least normal force of a foot over the weight")


@dataclass(frozen=True)
class Predicted:
    """Prediction of the equations, over the frictions that the shape was tuned for."""

    worst_step: float = parameter(0.0, unit="mm", doc="shortest step")
    nominal_step: float = parameter(0.0, unit="mm", doc="step without spread")
    lightest_foot: float = parameter(0.0, doc="smallest normal force of a foot over the robot's weight")


@dataclass(frozen=True)
class ShapeFile:
    """A shape and its origin. A shape written by hand may come without limits and prediction."""

    name: str
    shape: Shape
    tuned_for: TunedFor | None = None
    predicted: Predicted | None = None


def read_shape(path: Path) -> ShapeFile:
    """Return the shape in a file, named after the file. Raises UserError for any error in the file."""
    document = read_yaml(path)
    try:
        check_keys(document, "", needed=("joints",), allowed=("joints", "tuned_for", "predicted"))
        return ShapeFile(
            path.stem,
            _shape(document["joints"]),
            _section(TunedFor, document, "tuned_for"),
            _section(Predicted, document, "predicted"),
        )
    except UserError as error:
        raise UserError(f"{path}: {error}") from None


def write_shape(path: Path, file: ShapeFile) -> None:
    """Write a file that `read_shape` reads back to 1e-8 degrees."""
    lines = ["joints:  # degrees: mean, and the coefficients of cos(k omega t) and sin(k omega t) for k = 1, 2, ..."]
    for j, name in enumerate(file.shape.joints):
        lines += [f"  {name}:", f"    mean: {_degrees(file.shape.mean[j])}"]
        for key, rows in (("cos", file.shape.cos), ("sin", file.shape.sin)):
            lines.append(f"    {key}: [{', '.join(map(_degrees, rows[j]))}]")
    for key, section in (("tuned_for", file.tuned_for), ("predicted", file.predicted)):
        if section is not None:
            values = ", ".join(f"{name}: {_number(value)}" for name, value in asdict(section).items())
            lines.append(f"{key}: {{{values}}}")
    path.write_text("\n".join(lines) + "\n")


def _shape(joints: Any) -> Shape:
    if not check_mapping(joints, "joints"):
        raise UserError("joints is empty: it must hold one 'name: {mean, cos, sin}' per joint.")
    means, rows = [], []
    for name, entry in joints.items():
        label = f"joints.{name}"
        check_keys(check_mapping(entry, label), label, needed=("mean", "cos", "sin"), allowed=("mean", "cos", "sin"))
        means.append(_radians(entry["mean"], f"{label}.mean"))
        for key in ("cos", "sin"):
            rows.append(_row(entry[key], f"{label}.{key}"))
            if len(rows[-1]) != len(rows[0]):
                raise UserError(
                    f"{label}.{key} has {len(rows[-1])} harmonics, but joints.{next(iter(joints))}.cos has "
                    f"{len(rows[0])}: all must have the same number; fill up with 0."
                )
    return Shape(tuple(map(str, joints)), np.array(means), np.array(rows[::2]), np.array(rows[1::2]))


def _row(values: Any, label: str) -> list[float]:
    if not isinstance(values, list) or not 1 <= len(values) <= MAX_HARMONICS:
        raise UserError(f"{label} = {values!r} is not allowed: it must be a list of 1 to {MAX_HARMONICS} numbers.")
    return [_radians(value, f"{label}[{k}]") for k, value in enumerate(values)]


def _radians(value: Any, label: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise UserError(f"{label} = {value!r} is not allowed: it must be a number of degrees.")
    return math.radians(value)


def _section(cls: type[T], document: Mapping[str, Any], key: str) -> T | None:
    if key not in document:
        return None
    names = [field.name for field in fields(cls)]  # type: ignore[arg-type]
    values = check_mapping(document[key], key)
    check_keys(values, key, needed=names, allowed=names)
    return build(cls, values, section=key)


def _degrees(angle: float) -> str:
    return f"{math.degrees(angle):.8f}"


def _number(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".") if value else "0"
