"""Names that become parts of paths, topics, frames and parameters, so that they may hold nothing else."""

from __future__ import annotations

import re
from typing import Any

from crawler_core.errors import UserError, quoted

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
_NAMESPACE = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*/?")
LONGEST = 100  # characters of a namespace, to which topics are added


def check_name(name: Any, *, label: str) -> str:
    """`name`, or UserError that says, of `label`, what a name is."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UserError(f"{label} = {quoted(name)} is no name: use letters, digits, _ and -, and 64 of them at most.")
    return name


def check_namespace(name: str) -> str:
    """`name`, the namespace of a ring and perhaps empty, or UserError."""
    if name and not (_NAMESPACE.fullmatch(name) and "__" not in name and len(name) <= LONGEST):
        raise UserError(
            f"the namespace {quoted(name)} is not allowed: use letters, digits and _, beginning with a letter, and / "
            "between its parts."
        )
    return name
