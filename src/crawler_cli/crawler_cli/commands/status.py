"""What a run shows in the terminal: a live table, and the summary at the end."""

from __future__ import annotations

import math
import sys
import time
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from crawler_bringup.stack import Stack
from crawler_cli.run_log import RunLog
from crawler_core.types import ContactMode

PLAIN_EVERY = 2.0  # s between lines where the output is no terminal


class StatusLine:
    """Live status: a table on a terminal, otherwise a line every two seconds on stderr."""

    def __init__(self, stack: Stack, log: RunLog, duration: float, quiet: bool) -> None:
        self._stack = stack
        self._log = log
        self._duration = duration
        self._console = Console(stderr=True)
        self._live = (
            None if quiet or not self._console.is_terminal else Live(console=self._console, refresh_per_second=5)
        )
        self._next_line = time.monotonic() + PLAIN_EVERY
        self._seen = (time.monotonic(), 0, 0.0)
        self._rates = (0.0, 0.0)

    def __enter__(self) -> StatusLine:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self.update()
            self._live.stop()

    def update(self) -> None:
        """Show how things are."""
        now = time.monotonic()
        if now - self._seen[0] > 1.0:
            passed = now - self._seen[0]
            self._rates = ((self._log.states - self._seen[1]) / passed, (self._log.time - self._seen[2]) / passed)
            self._seen = (now, self._log.states, self._log.time)
        if self._live:
            self._live.update(self._table())
        elif now > self._next_line:
            self._next_line = now + PLAIN_EVERY
            print("  ".join(f"{key}: {value}" for key, value in self._facts()), file=sys.stderr, flush=True)

    def _facts(self) -> list[tuple[str, str]]:
        log, period = self._log, self._stack.gait.period
        if not log.states:
            return [("state", "starting the nodes")]
        of = f" of {self._duration:g}" if self._duration else ""
        step = log.latest_step(period)
        modes = log.contacts[-1][1] if log.contacts else []
        facts = [
            ("time", f"{log.time:.1f}{of} s"),
            ("distance", f"{log.distance * 1e3:.1f} mm"),
            ("latest step", "-" if math.isnan(step) else f"{step * 1e3:.2f} mm"),
            ("feet", " ".join(ContactMode(mode).name.lower() for mode in modes) or "-"),
            ("rate", f"{self._rates[0]:.0f} ticks/s, {self._rates[1]:.2f} x real time"),
            ("motion", log.backend.get("motion", "-")),
        ]
        return facts + [(f"note from {name}", text) for name, text in log.troubles.items()]

    def _table(self) -> Table:
        options = self._stack.options
        table = Table(
            title=f"{self._stack.spec.title}: {self._stack.gait_name} gait, {options.backend} backend",
            show_header=False,
            title_justify="left",
            min_width=64,
        )
        for key, value in self._facts():
            table.add_row(key, value)
        return table


def summary_table(summary: dict[str, Any]) -> None:
    """The summary of a run, measured beside predicted."""
    table = Table(title=f"{summary['robot']} on {summary['backend']}, gait {summary['gait']}", title_justify="left")
    table.add_column("")
    table.add_column("measured", justify="right")
    table.add_column("equations", justify="right")
    table.add_column("difference", justify="right")

    def millimetres(value: float | None, unit: str) -> str:
        return "-" if value is None else f"{value * 1e3:.3f} {unit}"

    difference = summary["difference_percent"]
    shown = "-" if difference is None else f"{difference:+.2f} %"
    table.add_row(
        "step length",
        millimetres(summary["step_length_m"], "mm"),
        millimetres(summary["predicted_step_length_m"], "mm"),
        shown,
    )
    table.add_row(
        "speed", millimetres(summary["speed_m_s"], "mm/s"), millimetres(summary["predicted_speed_m_s"], "mm/s"), shown
    )
    table.add_row("distance", millimetres(summary["distance_m"], "mm"), "", "")
    table.add_row("time", f"{summary['duration_s']:.2f} s", "", f"{summary['real_time_factor']:.2f} x real time")
    late = f"{summary['late_ticks']} late, {summary['overruns']} overrun"
    table.add_row("ticks", str(summary["ticks"]), "", late)
    if len(summary["branch_shares"]) > 1:
        shares = [f"{name} {100 * share:.1f} %" for name, share in summary["branch_shares"].items()]
        table.add_row("law in force", "\n".join(shares), "", "")
    console = Console()
    console.print(table)
    if summary["prediction"] != "equations":
        console.print(f"compared with: {summary['prediction']}", soft_wrap=True, highlight=False)
    if summary["step_length_m"] is None:
        console.print("The run was shorter than one period: give it a longer --duration to measure a step.")
    elif not summary["steady"]:
        console.print("The crawl had not settled: give the run a longer --duration for a steady step length.")
    for label, key in (("picture", "picture"), ("recording", "recording"), ("everything", "directory")):
        if summary[key]:
            console.print(f"{label}: {summary[key]}", soft_wrap=True, highlight=False)
