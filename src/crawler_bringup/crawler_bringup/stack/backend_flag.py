"""The short words for settings of the backend that both front doors have, such as --lockstep and lockstep:=true."""

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
    """A word that the user gave, and the parameter of the backend that it stands for."""

    word: str
    name: str
    value: Any
    about: str = ""  # for a parameter that not every backend has: what the word is about


def apply_flags(
    settings: Settings, backend: str, flags: Iterable[BackendFlag], set_word: str, said: Sequence[str]
) -> Settings:
    """`settings` with what the flags stand for.

    `said` are the assignments that the user wrote behind `set_word`. Raises UserError for a flag that contradicts one
    of them, and for one that means nothing to the backend.
    """
    explicit = parse_assignments(said).get("backend", {})
    for flag in flags:
        if backend in BACKENDS and flag.name not in _parameters(backend):
            raise UserError(f"{flag.word} is about {flag.about}: the backend {backend} has none.")
        if explicit.get(flag.name, flag.value) != flag.value:
            told = f"{set_word}backend.{flag.name}={explicit[flag.name]}"
            raise UserError(f"{flag.word} contradicts {told}: give one of them.")
        settings = merge(settings, {"backend": {flag.name: flag.value}})
    return settings


def _parameters(backend: str) -> set[str]:
    return {info.name for cls in (BackendSettings, BACKENDS[backend].settings) for info in describe(cls)}
