"""The flags for settings of the backend, such as --lockstep on the command line and lockstep:=true in launch files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.settings import Settings, merge, parse_assignments
from crawler_core.errors import UserError
from crawler_core.loop.backend_settings import BackendSettings
from crawler_core.parameters import describe


@dataclass(frozen=True)
class BackendFlag:
    """A flag as the user wrote it, and the parameter of the backend that it sets."""

    text: str
    parameter: str
    value: Any
    about: str = ""  # the feature it is about, where not every backend has the parameter


def apply_flags(
    settings: Settings, backend: str, flags: Iterable[BackendFlag], set_option: str, assignments: Sequence[str]
) -> Settings:
    """Return `settings` with the values of the flags.

    `assignments` are what the user wrote behind `set_option`. Raises UserError for a flag that contradicts one of them
    or that the backend does not have.
    """
    explicit = parse_assignments(assignments).get("backend", {})
    for flag in flags:
        if backend in BACKENDS and flag.parameter not in _parameters(backend):
            raise UserError(f"{flag.text} is about {flag.about}: the backend {backend} has none.")
        if explicit.get(flag.parameter, flag.value) != flag.value:
            assigned = f"{set_option}backend.{flag.parameter}={explicit[flag.parameter]}"
            raise UserError(f"{flag.text} contradicts {assigned}: give one of them.")
        settings = merge(settings, {"backend": {flag.parameter: flag.value}})
    return settings


def _parameters(backend: str) -> set[str]:
    return {info.name for cls in (BackendSettings, BACKENDS[backend].settings) for info in describe(cls)}
