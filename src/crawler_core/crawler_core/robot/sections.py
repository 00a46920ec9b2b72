"""The sections of settings, of which every front door speaks: robot, gait, controller and backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crawler_core.errors import UserError, unknown_name

SECTIONS = ("robot", "gait", "controller", "backend")


def sections_in(document: Mapping[str, Any], label: str) -> dict[str, dict[str, Any]]:
    """The sections in a YAML document; `label` says where it came from. Raises UserError for what is none."""
    for section, values in document.items():
        if section not in SECTIONS:
            raise UserError(f"{label}: {unknown_name('section', str(section), SECTIONS)}")
        if values is not None and not isinstance(values, dict):
            raise UserError(f"{label}: the section '{section}' must hold 'name: value' pairs.")
    return {section: dict(values or {}) for section, values in document.items()}
