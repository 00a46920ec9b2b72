"""The gaits by name."""

from __future__ import annotations

import dataclasses
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
        "harmonic": "gait_generators.kinds.harmonic:GAIT",
        "time_scaled": "gait_generators.kinds.time_scaled:GAIT",
        "fourier": "gait_generators.kinds.fourier:GAIT",
        "crank": "gait_generators.kinds.crank:GAIT",
        "trot": "gait_generators.kinds.quadruped:TROT",
        "walk": "gait_generators.kinds.quadruped:WALK",
        "pace": "gait_generators.kinds.quadruped:PACE",
        "bound": "gait_generators.kinds.quadruped:BOUND",
        "pronk": "gait_generators.kinds.quadruped:PRONK",
        "serpenoid": "gait_generators.kinds.serpenoid:GAIT",
        "serpenoid_closed": "gait_generators.kinds.serpenoid:CLOSED_GAIT",
    },
)


def gait_name(spec: RobotSpec, name: str | None) -> str:
    """`name`, or the robot's default gait. Raises UserError for one that is unknown or does not fit the robot."""
    name = name or spec.section("gait").get("default")
    if not name:
        raise UserError(f"{spec.name} names no default gait: choose one of {', '.join(fitting_gaits(spec))}.")
    if incompatibility := GAITS[name].incompatibility(spec):
        fitting = ", ".join(fitting_gaits(spec))
        raise UserError(f"the gait '{name}' {incompatibility}: choose one of {fitting}.")
    return name


def fitting_gaits(spec: RobotSpec) -> tuple[str, ...]:
    """The gaits that are made for such a robot. Asks each of them."""
    return tuple(name for name, entry in sorted(GAITS.items()) if not entry.incompatibility(spec))


def gait_defaults(spec: RobotSpec, name: str) -> Mapping[str, Any]:
    """The robot's values for the parameters of gait `name`."""
    return spec.section("gait").get(name) or {}


def gait_parameters(spec: RobotSpec, name: str | None) -> tuple[ParameterInfo, ...]:
    """The parameters of a gait, with the robot's defaults."""
    name = gait_name(spec, name)
    cls = GAITS[name].parameters
    start: Any = build(cls, gait_defaults(spec, name), section="gait")
    return tuple(dataclasses.replace(info, default=getattr(start, info.name)) for info in describe(cls))


def make_gait(spec: RobotSpec, name: str | None, values: Mapping[str, Any]) -> Gait:
    """The gait `name`, or the robot's default one, with the user's `values` over the robot's over the gait's own.

    Raises UserError for an unknown gait or parameter, for a value that is not allowed, and for a gait that does not
    move just the robot's joints.
    """
    name = gait_name(spec, name)
    entry = GAITS[name]
    return entry.build(spec, build(entry.parameters, {**gait_defaults(spec, name), **values}, section="gait"))
