"""Show the progress of the set-up on stderr: a line per step, and a live one on a terminal."""

import os
import re
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

REDRAW_PERIOD_S = 0.2  # of the live line
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Step:
    """One step: `[2/5] title`, a live line with the elapsed time and the present action, then the time it took."""

    def __init__(self, number: int, total: int, title: str) -> None:
        self._title = f"[{number}/{total}] {title}"
        self._started = time.monotonic()
        self._live = sys.stderr.isatty()
        if self._live:
            self.show("")
        else:
            say(f"{self._title} ...")

    def elapsed(self) -> float:
        return time.monotonic() - self._started

    def show(self, now: str) -> None:
        if self._live:
            line = f"{self._title}  {self.elapsed():.0f} s  {now}"
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r\x1b[2K{line[:width]}")
            sys.stderr.flush()

    def note(self, text: str) -> None:
        """Print a sentence that stays on the screen."""
        say(f"\r\x1b[2K{text}" if self._live else text)

    def close(self, outcome: str = "done") -> None:
        """Print the outcome and the time it took."""
        start = "\r\x1b[2K" if self._live else ""
        say(f"{start}{self._title}: {outcome}, {self.elapsed():.1f} s")

    def run(
        self,
        command: Sequence[str | Path],
        env: Mapping[str, str],
        cwd: Path,
        log: Path,
        each_line: Callable[[str], str | None] = lambda line: line,
    ) -> int:
        """Run `command` with its output in the file `log`; return its exit code.

        `each_line` takes a line of output and returns the text of the live line, or None to leave that as it is.
        """
        log.parent.mkdir(parents=True, exist_ok=True)
        with (
            open(log, "wb", buffering=0) as file,
            subprocess.Popen(
                command,
                env=dict(env),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # only the set-up gets Ctrl-C; it ends the processes that it started
            ) as process,
            selectors.DefaultSelector() as ready,
        ):
            assert process.stdout is not None
            ready.register(process.stdout, selectors.EVENT_READ)
            now, rest = "", ""
            while True:
                if ready.select(REDRAW_PERIOD_S):
                    chunk = os.read(process.stdout.fileno(), 65536)
                    if not chunk:
                        return process.wait()
                    file.write(chunk)
                    *lines, rest = (rest + chunk.decode("utf-8", "replace")).split("\n")
                    for line in lines:
                        shown = each_line(ESCAPES.sub("", line).strip())
                        now = now if shown is None else shown
                self.show(now)
