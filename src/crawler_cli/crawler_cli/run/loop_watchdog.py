"""A thread that ends a run whose own loop hangs: in the middleware, or writing to a terminal that nobody reads."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import threading
from collections.abc import Callable, Collection

from crawler_cli.console.exit_code import EXIT_INTERRUPTED
from crawler_nodes.shutdown.watchdog import install_wakeup_fd, looks

MOTOR_LOOP_TIMEOUT_S = 8.0  # s that one turn of a loop may take that looks after motors
STOP_TIMEOUT_S = 1.0  # s that any loop may go on once it was asked to end
LAST = 0.3  # s that the last sentence may take
NOT_DONE = 1  # exit code


class LoopWatchdog:
    """Used around the loop, which calls `turn`. Where that no longer comes, `end` is called and the process ends."""

    def __init__(self, end: Callable[[], object], numbers: Collection[int], moves: bool) -> None:
        """`numbers` are the signals that ask to end; `moves`: it looks after motors."""
        self._end = end
        self._numbers = numbers
        self._most = MOTOR_LOOP_TIMEOUT_S if moves else math.inf
        self._waited = -math.inf  # s since the last turn
        self._asked = False
        self._over = threading.Event()

    def __enter__(self) -> LoopWatchdog:
        self._heard = install_wakeup_fd()
        threading.Thread(target=self._watch, name="overseer", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        signal.set_wakeup_fd(-1)

    def turn(self) -> None:
        """The loop goes on. Once it was asked to end, nothing counts but that it does."""
        if not self._asked:
            self._waited = 0.0

    def _watch(self) -> None:
        code = NOT_DONE
        for numbers, passed in looks(self._heard):
            if self._over.is_set():
                return
            for number in set(numbers).intersection(self._numbers):
                code = 128 + number if number in (signal.SIGTERM, signal.SIGHUP) else EXIT_INTERRUPTED
                self._most, self._waited, self._asked = STOP_TIMEOUT_S, 0.0, True
            self._waited += passed
            if self._waited > self._most:
                break
        self._end()
        last = threading.Thread(target=_say, daemon=True)  # perhaps it is this that hangs
        last.start()
        last.join(LAST)
        os._exit(code)


def _say() -> None:
    with contextlib.suppress(OSError):
        os.write(2, b"crawler: the command line hung, perhaps since nobody reads what it prints: the run was ended.\n")
