"""The case that a study varies: one robot with one gait under one law, with the settings that all points share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from crawler_core.errors import UserError, unknown_name
from crawler_core.parameters import ParameterInfo, build
from crawler_core.robot.robot_file import load_robot, parameter_infos
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.model_registry import model_of
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import gait_name, gait_parameters, make_gait
from hybrid_controller.laws.law_entry import LawEntry
from hybrid_controller.laws.law_registry import LAWS, law_defaults, law_infos, law_name
from sim_bridge.physics.engines import ENGINES

Point = Mapping[str, float]
"""Values by their full name, such as {"gait.omega": 8.0, "robot.friction": 0.172}."""

# of a base that can leave the straight line, by the axis in which it does
DRIFT_COLUMNS = {"y": ("lateral_drift_m", float), "yaw": ("yaw_per_stride_rad", float)}


@dataclass(frozen=True)
class StudyCase:
    """A robot, a gait and a law with settings in the sections robot, gait and controller. A point overrides them."""

    robot: str
    gait: str = ""  # empty: the robot's default
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    law: str = ""  # empty: the robot's default

    @cached_property
    def spec(self) -> RobotSpec:
        """The robot with the settings, without a point."""
        return load_robot(self.robot, self.settings.get("robot"))

    @cached_property
    def gait_name(self) -> str:
        return gait_name(self.spec, self.gait)

    @cached_property
    def law_name(self) -> str:
        return law_name(self.spec, self.law)

    @property
    def law_entry(self) -> LawEntry:
        return LAWS[self.law_name]

    @cached_property
    def infos(self) -> dict[str, ParameterInfo]:
        """The numeric parameters that a point may hold, by their full names."""
        return {name: info for name, info in self._all_infos.items() if info.type in (int, float)}

    @cached_property
    def _all_infos(self) -> dict[str, ParameterInfo]:
        robot_infos = {f"robot.{name}": info for name, info in parameter_infos(self.spec).items()}
        gait_infos = {f"gait.{info.name}": info for info in gait_parameters(self.spec, self.gait_name)}
        controller_infos = {f"controller.{info.name}": info for info in law_infos(self.spec, self.law_name)}
        return {**gait_infos, **controller_infos, **robot_infos}

    def info(self, name: str) -> ParameterInfo:
        """Return the description of the numeric parameter `name`. Raises UserError where there is none."""
        if name in self._all_infos and name not in self.infos:
            raise UserError(
                f"{name} cannot be varied: it is not a number, and {self.spec.name} has no search of its own for it. "
                "Vary another parameter."
            )
        if name not in self.infos:
            raise unknown_name("parameter", name, self.infos)
        return self.infos[name]

    def value(self, name: str) -> float:
        """Return the value of a parameter, given by its full name, without a point."""
        section, _, key = name.partition(".")
        return float((self.settings.get(section) or {}).get(key, self.info(name).default))

    def check_range(self, name: str, low: float, high: float) -> None:
        """Raise UserError unless the parameter `name` may take every value from `low` to `high`."""
        info = self.info(name)
        if (info.lower is not None and low < info.lower) or (info.upper is not None and high > info.upper):
            raise UserError(f"the range of {name}, {low:g} to {high:g}, is not allowed: {info.range_text()} is.")

    def check_settings(self) -> None:
        """Raise UserError for settings that are not allowed, and for a law that does not fit the robot."""
        self.law_entry.check(self.spec)
        self.at({})
        self.law_at({})

    def at(self, point: Point) -> tuple[RobotSpec, Gait]:
        """Build the robot and its gait at `point`. Raises UserError for a value that is not allowed."""
        spec = load_robot(self.robot, self._values("robot", point))
        return spec, make_gait(spec, self.gait_name, self._values("gait", point))

    def law_at(self, point: Point) -> Any:
        """Build the law's parameters at `point`. Raises UserError for a value that is not allowed."""
        values = {**law_defaults(self.spec, self.law_name), **self._values("controller", point)}
        return build(self.law_entry.parameters, values, section="controller")

    def _values(self, section: str, point: Point) -> dict[str, Any]:
        return {**(self.settings.get(section) or {}), **group_by_section(point).get(section, {})}


def extra_columns(spec: RobotSpec) -> dict[str, type]:
    """Return names with units, and types: the columns of the robot's model, and the drift of a base that can drift."""
    drift = dict(DRIFT_COLUMNS[axis] for axis in spec.base_motion if axis in DRIFT_COLUMNS)
    return {**model_of(spec).study_columns, **drift}


def group_by_section(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Group parameters given by their full names into sections, as a settings file has them."""
    sections: dict[str, dict[str, Any]] = {}
    for full_name, value in values.items():
        section, _, name = full_name.partition(".")
        sections.setdefault(section, {})[name] = value
    return sections


def study_sections(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the sections of settings that a StudyCase takes. The section controller is left out where it is empty."""
    sections = {name: dict(settings.get(name) or {}) for name in ("robot", "gait", "controller")}
    return {name: values for name, values in sections.items() if values or name != "controller"}


def check_sections(settings: Mapping[str, object], backend: str, study: str) -> None:
    """Raise UserError for a section of settings that `study`, such as "a sweep", cannot use on `backend`."""
    physics = dict.fromkeys(ENGINES, ("robot", "gait", "controller", "backend"))
    known = {"model": ("robot", "gait", "controller"), **physics}
    allowed = known.get(backend, ("robot", "gait"))
    for section in settings:
        if section not in allowed:
            names = f"{', '.join(allowed[:-1])} and {allowed[-1]}"
            raise UserError(f"{study} on {backend} has no use for '{section}' settings: give {names} settings only.")
