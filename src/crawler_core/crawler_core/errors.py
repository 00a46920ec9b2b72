"""Errors that are sentences for a person."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

MAX_MESSAGE_LENGTH = 1000  # characters; a message may quote a value of any length
MAX_QUOTE_LENGTH = 120  # characters of a value in it


class UserError(ValueError):
    """An input that cannot be used. The message is one sentence on one line, with what is allowed."""

    def __init__(self, message: object) -> None:
        text = str(message)
        if len(text) > MAX_MESSAGE_LENGTH:  # the mistake is at the beginning, what is allowed at the end
            text = f"{text[: MAX_MESSAGE_LENGTH // 2]} ... {text[-MAX_MESSAGE_LENGTH // 2 :]}"
        if not text.isprintable():
            text = "".join(c if c.isprintable() else " " for c in text)
        super().__init__(text)


class BackendFault(RuntimeError):
    """A failure of the machine, real or simulated, after which the motors must be made safe.

    The message is the cause, `remedy` the thing to do before the reset, `joint` the joint where it is one joint's.
    """

    def __init__(self, message: str, *, remedy: str = "", joint: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy
        self.joint = joint


def quoted(value: Any) -> str:
    """Return a value as a message quotes it: the beginning of a long one."""
    text = repr(value)
    return text if len(text) <= MAX_QUOTE_LENGTH else f"{text[:MAX_QUOTE_LENGTH]} ..."


def unknown_name(kind: str, name: Any, known: Iterable[str]) -> UserError:
    """Return the error for a name that does not exist, with the nearest one that does."""
    choices, name = sorted(known), str(name)
    name = name if len(name) <= MAX_QUOTE_LENGTH else f"{name[:MAX_QUOTE_LENGTH]} ..."
    near = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'? " if near else ""
    return UserError(f"there is no {kind} '{name}': {hint}known are {', '.join(choices) or 'none'}.")
