"""What a study is about: one robot with one gait under one law, and everything that all of its points share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from crawler_core.errors import UserError, unknown_name
from crawler_core.parameters import ParameterInfo, build
from crawler_core.robot.robot_file import load_robot, parameter_infos
from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import gait_name, gait_parameters, make_gait
from hybrid_controller.laws.law_entry import LawEntry
from hybrid_controller.laws.law_registry import LAWS, law_defaults, law_infos, law_name
from sim_bridge.physics.engines import ENGINES

Point = Mapping[str, float]
"""Values by their full name, such as {"gait.omega": 8.0, "robot.friction": 0.172}."""


@dataclass(frozen=True)
class StudyCase:
    """A robot, a gait and a law with settings in the sections robot, gait and controller; a point goes over them."""

    robot: str
    gait: str = ""  # empty: the robot's default
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    law: str = ""  # empty: the robot's default

    @cached_property
    def spec(self) -> RobotSpec:
        """The robot without a point."""
        return load_robot(self.robot, self.settings.get("robot"))

    @cached_property
    def gait_name(self) -> str:
        """The gait's name, spelt out."""
        return gait_name(self.spec, self.gait)

    @cached_property
    def law_name(self) -> str:
        """The law's name, spelt out."""
        return law_name(self.spec, self.law)

    @property
    def law_entry(self) -> LawEntry:
        """What the law says of itself."""
        return LAWS[self.law_name]

    @cached_property
    def infos(self) -> dict[str, ParameterInfo]:
        """Everything numeric that a point may hold, by its full name."""
        return {name: info for name, info in self._all_infos.items() if info.type in (int, float)}

    @cached_property
    def _all_infos(self) -> dict[str, ParameterInfo]:
        of_robot = {f"robot.{name}": info for name, info in parameter_infos(self.spec).items()}
        of_gait = {f"gait.{info.name}": info for info in gait_parameters(self.spec, self.gait_name)}
        of_law = {f"controller.{info.name}": info for info in law_infos(self.spec, self.law_name)}
        return {**of_gait, **of_law, **of_robot}

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

    def check_settings(self) -> None:
        """Raise UserError for settings that are not allowed, and for a law that does not fit the robot."""
        self.law_entry.check(self.spec)
        self.at({})
        self.law_at({})

    def at(self, point: Point) -> tuple[RobotSpec, Gait]:
        """The robot and its gait at `point`. Raises UserError for a value that is not allowed."""
        spec = load_robot(self.robot, self._values("robot", point))
        return spec, make_gait(spec, self.gait_name, self._values("gait", point))

    def law_at(self, point: Point) -> Any:
        """The law's parameters at `point`. Raises UserError for a value that is not allowed."""
        values = {**law_defaults(self.spec, self.law_name), **self._values("controller", point)}
        return build(self.law_entry.parameters, values, section="controller")

    def _values(self, section: str, point: Point) -> dict[str, Any]:
        """The settings of a section with those of the point over them."""
        own = {name.partition(".")[2]: value for name, value in point.items() if name.startswith(f"{section}.")}
        return {**(self.settings.get(section) or {}), **own}


def study_sections(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What settings say of a case; of its law only where they do."""
    said = {name: dict(settings.get(name) or {}) for name in ("robot", "gait", "controller")}
    return {name: values for name, values in said.items() if values or name != "controller"}


def check_sections(settings: Mapping[str, object], backend: str, study: str) -> None:
    """Raise UserError for a section of settings that means nothing to `study`, such as "a sweep", on `backend`."""
    physics = dict.fromkeys(ENGINES, ("robot", "gait", "controller", "backend"))
    known = {"model": ("robot", "gait", "controller"), **physics}
    allowed = known.get(backend, ("robot", "gait"))
    for section in settings:
        if section not in allowed:
            some = f"{', '.join(allowed[:-1])} and {allowed[-1]}"
            raise UserError(f"'{section}' settings mean nothing to {study} on {backend}: give {some} ones.")
