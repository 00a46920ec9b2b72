"""The tables of docs/reliability.md: the kinds of fault, and how a storm went."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError
from crawler_testing.faults.catalogue import FAMILIES, KINDS
from crawler_testing.faults.fault_kind import EVERY
from crawler_testing.faults.verdict import Verdict

BEGIN, END = "<!-- written by ./crawler storm --write -->", "<!-- until here -->"


def read_storm(file: Path) -> tuple[list[Verdict], dict[str, Any]]:
    """The verdicts that a storm has printed with --json, and the rest of it. Raises UserError."""
    try:
        found = json.loads(file.read_text())
        rows = [{key: value for key, value in row.items() if key != "ok"} for row in found.pop("verdicts")]
        return [Verdict(**row) for row in rows], found
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(f"{file} is not what 'crawler storm --json' prints.") from None


def write_tables(page: Path, verdicts: Sequence[Verdict], said: str) -> None:
    """Put the tables between the marks of a page. Raises UserError where it has none."""
    try:
        text = page.read_text()
    except OSError as error:
        raise UserError(f"{page} cannot be read: {error.strerror}.") from None
    if BEGIN not in text or END not in text:
        raise UserError(f"{page} has no lines '{BEGIN}' and '{END}' for the tables.")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n\n{tables(verdicts, said)}\n\n{END}{after}")


def tables(verdicts: Sequence[Verdict], said: str) -> str:
    """How it went, counted by family, then kind by kind; `said` stands before it."""
    backends = [name for name in EVERY if any(verdict.backend == name for verdict in verdicts)]
    lines = [
        "### How it went",
        "",
        f"{sum(v.ok for v in verdicts)} of {len(verdicts)} faults ended as they must{_lifted(verdicts)}. {said}",
        "",
        _row("family", "kinds", *backends),
        _rule(2 + len(backends)),
    ]
    for family in FAMILIES:
        of_family = [kind.name for kind in KINDS if kind.family == family]
        lines.append(_row(f"`{family}`", str(len(of_family)), *(_count(verdicts, of_family, b) for b in backends)))
    heads = _row("fault", "what is done", "what must follow", *backends)
    lines += ["", "### Every kind", "", f"There are {len(KINDS)}; empty where a backend cannot have it.", ""]
    lines += [heads, _rule(3 + len(backends))]
    for kind in KINDS:
        cells = (_count(verdicts, [kind.name], backend) for backend in backends)
        lines.append(_row(f"`{kind.name}`", kind.does, kind.must.text, *cells))
    return "\n".join(lines)


def _lifted(verdicts: Sequence[Verdict]) -> str:
    count = sum(verdict.lifted for verdict in verdicts)
    return f", {count} of them with a foot off the ground, where the model's equations end" if count else ""


def _count(verdicts: Sequence[Verdict], names: Sequence[str], backend: str) -> str:
    found = [verdict.ok for verdict in verdicts if verdict.kind in names and verdict.backend == backend]
    return f"{sum(found)} of {len(found)}" if found else ""


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(count: int) -> str:
    return "|" + "---|" * count
