"""What a run shows in the terminal while it lasts: a live table, or a line now and then."""

from __future__ import annotations

import math
import sys
import time

from rich.console import Console
from rich.live import Live
from rich.table import Table

from crawler_bringup.stack.stack import Stack
from crawler_core.types import ContactMode
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.run_log.stride_metrics import latest_step

PLAIN_EVERY = 2.0  # s between lines where the output is no terminal


class StatusLine:
    """Live status: a table on a terminal, otherwise a line every two seconds on stderr."""

    def __init__(self, stack: Stack, log: RunLog, quiet: bool) -> None:
        self._stack = stack
        self._log = log
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
        log = self._log
        if not log.states:
            return [("state", "starting the nodes")]
        of = f" of {self._stack.duration:g}" if self._stack.duration else ""
        step = latest_step(log, self._stack.gait.period if math.isnan(log.period) else log.period)
        modes = log.contacts[-1].modes if log.contacts else []
        facts = [
            ("time", f"{log.time:.1f}{of} s"),
            ("distance", f"{log.distance * 1e3:.1f} mm"),
            *([("aside", f"{log.lateral * 1e3:.1f} mm, {math.degrees(log.yaw):.1f}°")] if log.drifts else []),
            ("latest step", "-" if math.isnan(step) else f"{step * 1e3:.2f} mm"),
            ("feet", " ".join(ContactMode(mode).name.lower() for mode in modes) or "-"),
            ("rate", f"{self._rates[0]:.0f} ticks/s, {self._rates[1]:.2f} x real time"),
            ("motion", log.motion or "-"),
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
