"""What a part of the benchmark is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Part:
    """Measures, and says in a table what it has measured."""

    measure: Callable[[float, int, Callable[[str], None]], dict[str, Any]]  # seconds, rounds, say
    add_rows: Callable[[Any, dict[str, Any]], None]
