"""Settings as the user gives them: sections robot, gait, controller and backend, from a file or as assignments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError, unknown_name
from crawler_core.sections import SECTIONS, sections_in
from crawler_core.yaml_file import parse_value, read_yaml

Settings = dict[str, dict[str, Any]]


def parse_assignments(words: Iterable[str]) -> Settings:
    """'gait.omega=8' and its like. Raises UserError for what is not of the form section.name=value."""
    settings: Settings = {}
    for word in words:
        key, equals, text = word.partition("=")
        section, dot, name = key.partition(".")
        if not equals or not dot or not name:
            raise UserError(f"'{word}' is no setting: write section.name=value, such as gait.omega=8.")
        if section not in SECTIONS:
            raise unknown_name("section", section, SECTIONS)
        try:
            value = parse_value(text, word)
        except UserError:
            raise UserError(f"the value in '{word}' cannot be read: quote text that has special characters.") from None
        settings.setdefault(section, {})[name] = value
    return settings


def read_settings(file: str) -> Settings:
    """The sections of a YAML file. Raises UserError with the line of what is wrong."""
    path = Path(file)
    return sections_in(read_yaml(path), str(path))


def merge(base: Mapping[str, Mapping[str, Any]], over: Mapping[str, Mapping[str, Any]]) -> Settings:
    """`base` with `over` on top, section by section."""
    sections = list(base) + [section for section in over if section not in base]
    return {section: {**base.get(section, {}), **over.get(section, {})} for section in sections}
