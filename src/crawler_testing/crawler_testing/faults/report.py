"""Tables of docs/reliability.md: the kinds of fault, and the verdicts of a campaign."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError
from crawler_testing.faults.catalogue import FAMILIES, FAULT_KINDS
from crawler_testing.faults.verdict import Verdict
from crawler_testing.fixtures.run_config import ALL_BACKENDS
from crawler_testing.marked_page import write_between_marks


def read_campaign(file: Path) -> tuple[list[Verdict], float]:
    """Read the verdicts, and the duration in s, from the output of `crawler storm --json`. Raises UserError."""
    try:
        found: dict[str, Any] = json.loads(file.read_text())
        rows = [{key: value for key, value in row.items() if key != "ok"} for row in found["verdicts"]]
        return [Verdict(**row) for row in rows], float(found["seconds"])
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(f"{file} is not an output of 'crawler storm --json': give another file to --from.") from None


def write_tables(page: Path, verdicts: Sequence[Verdict], summary: str) -> None:
    """Replace the text between the marks of a page by the tables. Raises UserError without marks."""
    write_between_marks(page, "storm", tables(verdicts, summary))


def tables(verdicts: Sequence[Verdict], summary: str) -> str:
    """Return `summary` and two tables: counts by family, and by kind."""
    backends = [name for name in ALL_BACKENDS if any(verdict.backend == name for verdict in verdicts)]

    def counts(names: Sequence[str]) -> Iterable[str]:
        for backend in backends:
            found = [one.ok for one in verdicts if one.kind in names and one.backend == backend]
            yield f"{sum(found)} of {len(found)}" if found else ""

    lifted = sum(verdict.foot_lifted for verdict in verdicts)
    note = f", {lifted} of them with a foot off the ground, where the model's equations end" if lifted else ""
    lines = ["### Results", ""]
    lines += [f"{sum(v.ok for v in verdicts)} of {len(verdicts)} faults ended as expected{note}. {summary}", ""]
    lines += _header("family", "kinds", *backends)
    for family in FAMILIES:
        names = [kind.name for kind in FAULT_KINDS if kind.family == family]
        lines.append(_row(f"`{family}`", str(len(names)), *counts(names)))
    lines += [
        "",
        "### Every kind",
        "",
        f"There are {len(FAULT_KINDS)}; a cell is empty if a backend cannot have it.",
        "",
    ]
    lines += _header("fault", "intervention", "expected outcome", *backends)
    lines += [_row(f"`{kind.name}`", kind.action, kind.expected.text, *counts([kind.name])) for kind in FAULT_KINDS]
    return "\n".join(lines)


def _header(*cells: str) -> list[str]:
    return [_row(*cells), "|" + "---|" * len(cells)]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
