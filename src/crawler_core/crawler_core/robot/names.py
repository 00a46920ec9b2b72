"""Checks of names that become parts of paths, topics, frames and parameters."""

from __future__ import annotations

import re
from typing import Any

from crawler_core.errors import UserError, quoted

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
_NAMESPACE = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*")
MAX_NAMESPACE_LENGTH = 100  # characters; topics are added to it


def check_name(name: Any, *, label: str) -> str:
    """Return `name`. Raise UserError about `label` where it is no name."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UserError(f"{label} = {quoted(name)} is no name: use letters, digits, _ and -, and 64 of them at most.")
    return name


def check_namespace(name: str) -> str:
    """Return `name`, the namespace of a stack, which may be empty. Raise UserError where it is none."""
    if name and not (_NAMESPACE.fullmatch(name) and "__" not in name and len(name) <= MAX_NAMESPACE_LENGTH):
        raise UserError(
            f"the namespace {quoted(name)} is not allowed: use letters, digits and _, beginning with a letter, and / "
            "between its parts."
        )
    return name
