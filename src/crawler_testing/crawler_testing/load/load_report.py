"""The table of docs/reliability.md: what busy loops change in each robot's runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from crawler_cli.console.output import finite
from crawler_testing.load.load_run import Comparison, LoadCase, LoadRun

PAIR = tuple[LoadRun, Comparison]


@dataclass
class CaseOutcome:
    """The idle run of a case, and the others by their number of loops."""

    case: LoadCase
    idle: LoadRun
    loaded: dict[int, list[PAIR]] = field(default_factory=dict)

    @property
    def pairs(self) -> list[PAIR]:
        return [pair for pairs in self.loaded.values() for pair in pairs]

    @property
    def ok(self) -> bool:
        return not self.idle.fault and all(comparison.ok for _, comparison in self.pairs)

    def as_json(self) -> dict[str, Any]:
        runs = [{**run.as_json(), **asdict(comparison), "ok": comparison.ok} for run, comparison in self.pairs]
        found = {**asdict(self.case), "ok": self.ok, "idle": self.idle.as_json(), "loaded": runs}
        return dict(finite(found))


def describe(run: LoadRun, comparison: Comparison) -> str:
    """Return a cell of the table."""
    late = f", {run.late_ticks} late" if run.late_ticks and comparison.verdict != "invalid" else ""
    return f"{comparison.text}{late}, {run.real_time_factor:.2f} ×"


def describe_idle(run: LoadRun) -> str:
    """Return the cell of the idle run."""
    if run.fault:
        return f"fault: {run.fault}"
    if run.why_invalid:
        return f"marked invalid: {run.why_invalid.partition(':')[0]}, {run.real_time_factor:.2f} ×"
    measured = f"{1e3 * run.distance:.3f} mm, " if run.distance else ""
    late = f"{run.late_ticks} late, " if run.late_ticks else ""
    return f"{measured}{late}{run.real_time_factor:.2f} ×"


def table(outcomes: Sequence[CaseOutcome], summary: str) -> str:
    """Return `summary` and the table as Markdown."""
    levels = sorted({busy for outcome in outcomes for busy in outcome.loaded})
    heads = ["robot", "backend", "pace", "idle", *(f"{busy} loops" for busy in levels)]
    lines = [summary, "", _row(heads), "|" + "---|" * len(heads)]
    for outcome in outcomes:
        cells = [_cell(outcome.loaded.get(busy, [])) for busy in levels]
        case = outcome.case
        lines.append(_row([case.robot, f"`{case.backend}`", case.pace, describe_idle(outcome.idle), *cells]))
    return "\n".join(lines)


def counts(outcomes: Sequence[CaseOutcome]) -> Mapping[str, int]:
    """Return the number of runs beside loops, by verdict."""
    verdicts = [comparison.verdict for outcome in outcomes for _, comparison in outcome.pairs]
    return {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}


def _cell(pairs: Sequence[PAIR]) -> str:
    if len(pairs) < 2:
        return describe(*pairs[0]) if pairs else ""
    verdicts = [comparison.verdict for _, comparison in pairs]
    text = ", ".join(f"{verdicts.count(one)} of {len(pairs)} {one}" for one in dict.fromkeys(verdicts))
    return f"{text}, {median(run.real_time_factor for run, _ in pairs):.2f} ×"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/').replace(chr(10), ' ') for cell in cells)} |"
