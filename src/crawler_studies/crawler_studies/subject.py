"""What a study is about: one robot with one gait, and everything that all of its points share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from crawler_core.errors import UserError, unknown_name
from crawler_core.parameters import ParameterInfo
from crawler_core.robot import RobotSpec, load_robot, parameter_infos
from gait_generators.catalogue import gait_name, gait_parameters, make_gait
from gait_generators.gait import Gait

Point = Mapping[str, float]
"""Values by their full name, such as {"gait.omega": 8.0, "robot.friction": 0.172}."""


@dataclass(frozen=True)
class Subject:
    """A robot and a gait with settings in the sections robot and gait; a point goes over them."""

    robot: str
    gait: str = ""  # empty: the robot's default
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @cached_property
    def spec(self) -> RobotSpec:
        """The robot without a point."""
        return load_robot(self.robot, self.settings.get("robot"))

    @cached_property
    def gait_name(self) -> str:
        """The gait's name, spelt out."""
        return gait_name(self.spec, self.gait)

    @cached_property
    def infos(self) -> dict[str, ParameterInfo]:
        """Everything numeric that a point may hold, by its full name."""
        return {name: info for name, info in self._all_infos.items() if info.type in (int, float)}

    @cached_property
    def _all_infos(self) -> dict[str, ParameterInfo]:
        of_robot = {f"robot.{name}": info for name, info in parameter_infos(self.spec).items()}
        of_gait = {f"gait.{info.name}": info for info in gait_parameters(self.spec, self.gait_name)}
        return {**of_gait, **of_robot}

    def info(self, name: str) -> ParameterInfo:
        """What is known of the parameter `name`. Raises UserError where there is none, or it is no number."""
        if name in self._all_infos and name not in self.infos:
            raise UserError(f"{name} is no number, and {self.spec.name} has no search of its own for it: vary another.")
        if name not in self.infos:
            raise unknown_name("parameter", name, self.infos)
        return self.infos[name]

    def check_range(self, name: str, low: float, high: float) -> None:
        """Raise UserError unless the parameter `name` may be anything from `low` to `high`."""
        info = self.info(name)
        if (info.low is not None and low < info.low) or (info.high is not None and high > info.high):
            raise UserError(f"{name} from {low:g} to {high:g} leaves what is allowed: {info.range_text()}.")

    def at(self, point: Point) -> tuple[RobotSpec, Gait]:
        """The robot and its gait at `point`. Raises UserError for a value that is not allowed."""
        values: dict[str, dict[str, Any]] = {
            section: dict(self.settings.get(section) or {}) for section in ("robot", "gait")
        }
        for name, value in point.items():
            section, _, key = name.partition(".")
            values[section][key] = value
        spec = load_robot(self.robot, values["robot"])
        return spec, make_gait(spec, self.gait_name, values["gait"])
