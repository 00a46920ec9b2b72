"""Show the status of a run in the terminal: a live table, or a line every two seconds."""

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

LINE_PERIOD_S = 2.0  # between lines where the output is no terminal
RATE_PERIOD_S = 1.0  # over which rates are measured


class StatusLine:
    """Live status on stderr: a table on a terminal, otherwise lines."""

    def __init__(self, stack: Stack, log: RunLog, quiet: bool) -> None:
        self._stack = stack
        self._log = log
        console = Console(stderr=True)
        self._live = Live(console=console, refresh_per_second=5) if console.is_terminal and not quiet else None
        self._next_line = time.monotonic() + LINE_PERIOD_S
        self._rated = (time.monotonic(), 0, 0.0)  # time, number of states and time of the run at the last measurement
        self._rates = (0.0, 0.0)  # states per second, times real time

    def __enter__(self) -> StatusLine:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self.update()
            self._live.stop()

    def update(self) -> None:
        """Show the present status."""
        now = time.monotonic()
        if (passed := now - self._rated[0]) > RATE_PERIOD_S:
            self._rates = ((self._log.states - self._rated[1]) / passed, (self._log.time - self._rated[2]) / passed)
            self._rated = (now, self._log.states, self._log.time)
        if self._live:
            self._live.update(self._table())
        elif now > self._next_line:
            self._next_line = now + LINE_PERIOD_S
            print("  ".join(f"{key}: {value}" for key, value in self._values()), file=sys.stderr, flush=True)

    def _values(self) -> list[tuple[str, str]]:
        log = self._log
        if not log.states:
            return [("state", "starting the nodes")]
        of = f" of {self._stack.duration:g}" if self._stack.duration else ""
        step = latest_step(log, self._stack.period if math.isnan(log.status.period) else log.status.period)
        modes = log.contacts[-1].modes if log.contacts else []
        values = [
            ("time", f"{log.time:.1f}{of} s"),
            ("distance", f"{log.base.distance * 1e3:.1f} mm" if log.base.poses else "not measured"),
            *(
                [("aside", f"{log.base.lateral * 1e3:.1f} mm, {math.degrees(log.base.yaw):.1f}°")]
                if log.can_drift
                else []
            ),
            ("latest step", "-" if math.isnan(step) else f"{step * 1e3:.2f} mm"),
            ("feet", " ".join(ContactMode(mode).name.lower() for mode in modes) or "-"),
            ("rate", f"{self._rates[0]:.0f} ticks/s, {self._rates[1]:.2f} x real time"),
            ("motion", log.status.motion or "-"),
        ]
        return values + [(f"note from {name}", text) for name, text in log.status.warnings.items()]

    def _table(self) -> Table:
        title = f"{self._stack.spec.title}: {self._stack.gait_name} gait, {self._stack.options.backend} backend"
        table = Table(title=title, show_header=False, title_justify="left", min_width=64)
        for key, value in self._values():
            table.add_row(key, value)
        return table
