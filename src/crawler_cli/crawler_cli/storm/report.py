"""The tables of docs/reliability.md: the kinds of fault, and how a storm went."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crawler_cli.storm.catalogue import FAMILIES, KINDS
from crawler_cli.storm.kind import EVERY
from crawler_cli.storm.verdict import Verdict
from crawler_core.errors import UserError

BEGIN, END = "<!-- written by ./crawler storm --write -->", "<!-- until here -->"


def write_tables(page: Path, verdicts: Sequence[Verdict], seed: int) -> None:
    """Put the tables between the marks of a page. Raises UserError where it has none."""
    try:
        text = page.read_text()
    except OSError as error:
        raise UserError(f"{page} cannot be read: {error.strerror}.") from None
    if BEGIN not in text or END not in text:
        raise UserError(f"{page} has no lines '{BEGIN}' and '{END}' for the tables.")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n\n{tables(verdicts, seed)}\n\n{END}{after}")


def tables(verdicts: Sequence[Verdict], seed: int) -> str:
    """How it went, counted, then kind by kind."""
    backends = [name for name in EVERY if any(verdict.backend == name for verdict in verdicts)]
    lines = [
        f"{sum(v.ok for v in verdicts)} of {len(verdicts)} faults ended as they must, seed {seed}.",
        "",
        _row("family", "kinds", *backends),
        _rule(2 + len(backends)),
    ]
    for family in FAMILIES:
        of_family = [kind.name for kind in KINDS if kind.family == family]
        lines.append(_row(f"`{family}`", str(len(of_family)), *(_count(verdicts, of_family, b) for b in backends)))
    lines += ["", _row("fault", "what is done", "what must follow", *backends), _rule(3 + len(backends))]
    for kind in KINDS:
        cells = (_count(verdicts, [kind.name], backend) for backend in backends)
        lines.append(_row(f"`{kind.name}`", kind.does, kind.must.text, *cells))
    return "\n".join(lines)


def _count(verdicts: Sequence[Verdict], names: Sequence[str], backend: str) -> str:
    found = [verdict.ok for verdict in verdicts if verdict.kind in names and verdict.backend == backend]
    return f"{sum(found)} of {len(found)}" if found else ""


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(count: int) -> str:
    return "|" + "---|" * count
