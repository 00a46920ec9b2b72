"""Print results: one JSON object, or tables that no pipe cuts."""

from __future__ import annotations

import json
import math
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table


def finite(value: Any) -> Any:
    """Return `value` for JSON, with null in place of every number that is not finite."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def print_json(result: dict[str, Any]) -> None:
    """Print one JSON object on one line."""
    print(json.dumps(finite(result)))


def print_table(table: Table) -> None:
    """Print a table: folded to the width of a terminal, at its full width into a pipe or a file."""
    console = Console(highlight=False)
    if not console.is_terminal:
        unlimited = console.options.update(max_width=10_000)
        console.width = max(console.width, Measurement.get(console, unlimited, table).maximum)
    for column in table.columns:
        column.overflow = "fold"
    console.print(table)


def print_lines(*lines: str) -> None:
    """Print lines as they are: neither wrapped nor read as markup."""
    for line in lines:
        print(line)
