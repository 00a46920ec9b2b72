"""The gaits by name, and building one for a robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crawler_core.errors import UserError
from crawler_core.parameters import ParameterInfo, build, describe
from crawler_core.registry import LazyRegistry
from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_entry import GaitEntry

GAITS: LazyRegistry[GaitEntry] = LazyRegistry(
    "gait",
    {
        "harmonic": "gait_generators.kinds.harmonic:GAIT_ENTRY",
        "time_scaled": "gait_generators.kinds.time_scaled:GAIT_ENTRY",
        "fourier": "gait_generators.kinds.fourier:GAIT_ENTRY",
        "crank": "gait_generators.kinds.crank:GAIT_ENTRY",
        "trot": "gait_generators.kinds.quadruped:TROT",
        "walk": "gait_generators.kinds.quadruped:WALK",
        "pace": "gait_generators.kinds.quadruped:PACE",
        "bound": "gait_generators.kinds.quadruped:BOUND",
        "pronk": "gait_generators.kinds.quadruped:PRONK",
        "serpenoid": "gait_generators.kinds.snake.serpenoid:GAIT_ENTRY",
        "serpenoid_closed": "gait_generators.kinds.snake.serpenoid:CLOSED_GAIT",
    },
)


def gait_name(spec: RobotSpec, name: str | None) -> str:
    """Return `name`, or the robot's default gait. Raises UserError for a gait that is unknown or does not fit."""
    name = name or spec.section("gait").get("default")
    if not name:
        raise UserError(f"{spec.name} has no default gait: choose one of {', '.join(fitting_gaits(spec))}.")
    if incompatibility := GAITS[name].incompatibility(spec):
        raise UserError(f"the gait '{name}' {incompatibility}: choose one of {', '.join(fitting_gaits(spec))}.")
    return name


def fitting_gaits(spec: RobotSpec) -> tuple[str, ...]:
    """Return the gaits that fit the robot. Imports all of them."""
    return tuple(name for name, entry in sorted(GAITS.items()) if not entry.incompatibility(spec))


def gait_defaults(spec: RobotSpec, name: str) -> Mapping[str, Any]:
    return spec.section("gait").get(name) or {}


def gait_parameters(spec: RobotSpec, name: str | None) -> tuple[ParameterInfo, ...]:
    """Return the parameters of a gait, with the robot's defaults."""
    name = gait_name(spec, name)
    cls = GAITS[name].parameters
    return describe(cls, build(cls, gait_defaults(spec, name), section="gait"))


def make_gait(spec: RobotSpec, name: str | None, values: Mapping[str, Any]) -> Gait:
    """Return the gait `name`, or the robot's default one. The user's `values` precede the robot's.

    Raises UserError for an unknown gait or parameter, a value that is not allowed, and a gait that does not fit.
    """
    name = gait_name(spec, name)
    entry = GAITS[name]
    return entry.build(spec, build(entry.parameters, {**gait_defaults(spec, name), **values}, section="gait"))
