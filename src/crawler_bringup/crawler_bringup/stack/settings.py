"""The user's settings: sections robot, gait, controller and backend, from a file or as assignments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from crawler_core.errors import UserError, unknown_name
from crawler_core.files import parse_value, read_yaml
from crawler_core.parameters import build, describe
from crawler_core.robot.sections import SECTIONS, sections_in

Settings = dict[str, dict[str, Any]]
SharedSettings = TypeVar("SharedSettings")


def parse_assignments(assignments: Iterable[str]) -> Settings:
    """Parse assignments such as 'gait.omega=8'. Raises UserError unless each is of the form section.name=value."""
    settings: Settings = {}
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        section, dot, name = key.partition(".")
        if not equals or not dot or not name:
            raise UserError(f"'{assignment}' is no setting: write section.name=value, such as gait.omega=8.")
        if section not in SECTIONS:
            raise unknown_name("section", section, SECTIONS)
        try:
            value = parse_value(text, assignment)
        except UserError:
            raise UserError(
                f"the value in '{assignment}' cannot be read: quote text that has special characters."
            ) from None
        settings.setdefault(section, {})[name] = value
    return settings


def read_settings(file: str) -> Settings:
    """Read the sections of a YAML file. Raises UserError with the line of an error."""
    path = Path(file)
    return sections_in(read_yaml(path), str(path))


def merge(base: Mapping[str, Mapping[str, Any]], over: Mapping[str, Mapping[str, Any]]) -> Settings:
    """Return `base`, overridden by `over`, section by section."""
    sections = list(base) + [section for section in over if section not in base]
    return {section: {**base.get(section, {}), **over.get(section, {})} for section in sections}


def check_section(
    section: str,
    values: Mapping[str, Any],
    shared: type[SharedSettings],
    own: type,
    defaults: Mapping[str, Any],
    reserved: Sequence[str],
) -> SharedSettings:
    """Check a node's settings and return the `shared` ones, which every node of its kind has, with their defaults.

    `own` are the parameters of this gait, law or backend, `defaults` their values from the robot file, `reserved` the
    names that the stack sets itself. Raises UserError for an unknown name or a value that is out of range.
    """
    allowed = {info.name for cls in (shared, own) for info in describe(cls)} - set(reserved)
    for name in values:
        if name not in allowed:
            raise unknown_name("parameter", f"{section}.{name}", (f"{section}.{known}" for known in allowed))
    shared_values, own_values = split_parameters(shared, values)
    build(own, {**defaults, **own_values}, section=section)
    return build(shared, shared_values, section=section)


def split_parameters(
    cls: type, values: Mapping[str, Any], reserved: Sequence[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split `values` into the parameters of `cls` that are not `reserved`, and the rest."""
    names = {info.name for info in describe(cls)} - set(reserved)
    return {k: v for k, v in values.items() if k in names}, {k: v for k, v in values.items() if k not in names}
