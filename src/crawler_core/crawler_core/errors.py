"""Errors that are sentences for a person."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

LONGEST = 1000  # characters of a message, which may quote what was given at any length
QUOTED = 120  # of a value in one


class UserError(ValueError):
    """What the user gave cannot be used. The message is one sentence, and one line, that says what would be right."""

    def __init__(self, message: object) -> None:
        text = str(message)
        if len(text) > LONGEST:  # what is wrong stands at the beginning, what would be right at the end
            text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
        if not text.isprintable():
            text = "".join(c if c.isprintable() else " " for c in text)
        super().__init__(text)


class BackendFault(RuntimeError):
    """The machine, real or simulated, can no longer be trusted: the motors must be made safe.

    The message says what happened; `remedy` what to do before the reset; `joint` names the joint, where it is one.
    """

    def __init__(self, message: str, *, remedy: str = "", joint: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy
        self.joint = joint


def quoted(value: Any) -> str:
    """A value as a message quotes it: its beginning, where it is long."""
    text = repr(value)
    return text if len(text) <= QUOTED else f"{text[:QUOTED]} ..."


def unknown_name(kind: str, name: Any, known: Iterable[str]) -> UserError:
    """The error for a name that does not exist, with the nearest one that does."""
    choices, name = sorted(known), str(name)
    name = name if len(name) <= QUOTED else f"{name[:QUOTED]} ..."
    near = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'? " if near else ""
    return UserError(f"there is no {kind} '{name}': {hint}known are {', '.join(choices) or 'none'}.")
