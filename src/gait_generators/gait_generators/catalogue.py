"""The gaits by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import UserError, unknown_name
from crawler_core.parameters import ParameterInfo, build, describe
from crawler_core.robot import RobotSpec
from gait_generators.fourier import Fourier, FourierParameters
from gait_generators.gait import Gait
from gait_generators.harmonic import Harmonic, HarmonicParameters
from gait_generators.serpenoid import Serpenoid, SerpenoidParameters
from gait_generators.time_scaled import TimeScaled, TimeScaledParameters


@dataclass(frozen=True)
class Entry:
    """One kind of gait."""

    parameters: type  # a dataclass of crawler_core parameters
    build: Callable[[RobotSpec, Any], Gait]
    joints: int | None  # how many actuated joints it moves; None: as many as its parameters say
    paced: bool = False  # omega is its pace alone: the path of the joints is the same at every omega


GAITS: Mapping[str, Entry] = {
    "harmonic": Entry(HarmonicParameters, lambda _, parameters: Harmonic.of(parameters), joints=2, paced=True),
    "time_scaled": Entry(TimeScaledParameters, lambda _, parameters: TimeScaled.of(parameters), joints=2, paced=True),
    "fourier": Entry(FourierParameters, Fourier.of, joints=None),
    "serpenoid": Entry(SerpenoidParameters, Serpenoid.of, joints=None),
    "serpenoid_closed": Entry(SerpenoidParameters, Serpenoid.closed, joints=None),
}


def gait_name(spec: RobotSpec, name: str | None) -> str:
    """`name`, or the robot's default gait. Raises UserError for one that is unknown or does not fit the robot."""
    name = name or spec.section("gait").get("default")
    if not name:
        raise UserError(f"{spec.name} names no default gait: choose one of {', '.join(sorted(GAITS))}.")
    if name not in GAITS:
        raise unknown_name("gait", name, GAITS)
    joints = GAITS[name].joints
    if joints is not None and joints != len(spec.actuated):
        raise UserError(f"the gait '{name}' moves {joints} joints, but {spec.name} has {len(spec.actuated)} actuated.")
    return name


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
