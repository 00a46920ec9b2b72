"""The table of docs/reliability.md: corrupted files by kind, of one or several campaigns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from crawler_core.errors import UserError
from crawler_testing.file_fuzz.file_campaign import FileOutcome, file_kinds

SeededOutcome = tuple[int, FileOutcome]
HEADS = ("files", "seeds", "files tried", "read", "with problems", "slowest, s of work", "growth, MB")


def read_outcomes(file: Path) -> list[SeededOutcome]:
    """Read the outcomes, with their seed, from the output of `crawler fuzz --files --json`. Raises UserError."""
    try:
        found = json.loads(file.read_text())
        rows = [{key: value for key, value in row.items() if key not in ("ok", "seed")} for row in found["outcomes"]]
        return [(int(found["seed"]), FileOutcome(**row)) for row in rows]
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(f"{file} is not an output of 'crawler fuzz --files --json': give another one.") from None


def table(outcomes: Sequence[SeededOutcome]) -> str:
    """Return the sums by kind as Markdown."""
    recordings = [one for _, one in outcomes if one.kind.startswith("recording")]
    files, problems = sum(one.files for _, one in outcomes), sum(sum(one.crashes.values()) for _, one in outcomes)
    summary = f"{files} files, {sum(one.files for one in recordings)} of them recordings, {problems} problems."
    lines = [summary, "", _row(HEADS), "|" + "---|" * len(HEADS)]
    for kind in file_kinds():
        own = [(seed, one) for seed, one in outcomes if one.kind == kind]
        if own:
            lines.append(_row(_cells(kind, own)))
    return "\n".join(lines)


def _cells(kind: str, own: Sequence[SeededOutcome]) -> Iterable[str]:
    seeds = sorted({seed for seed, _ in own})
    is_range = len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1))
    yield kind
    yield f"{seeds[0]} to {seeds[-1]}" if is_range else ", ".join(map(str, seeds))
    yield str(sum(one.files for _, one in own))
    yield str(sum(one.accepted for _, one in own))
    yield str(sum(sum(one.crashes.values()) for _, one in own))
    yield f"{max(one.slowest for _, one in own):.2f}"
    yield f"{max(one.growth for _, one in own) / 2**20:.0f}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
