"""The sections of settings in files and on the command line: robot, gait, controller and backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crawler_core.errors import UserError, unknown_name

SECTIONS = ("robot", "gait", "controller", "backend")


def sections_in(document: Mapping[str, Any], label: str) -> dict[str, dict[str, Any]]:
    """Return the sections of a YAML document; `label` is its source, for errors. Raise UserError for other keys."""
    for section, values in document.items():
        if section not in SECTIONS:
            raise UserError(f"{label}: {unknown_name('section', str(section), SECTIONS)}")
        if values is not None and not isinstance(values, dict):
            raise UserError(f"{label}: the section '{section}' must hold 'name: value' pairs.")
    return {section: dict(values or {}) for section, values in document.items()}
