"""A thread that ends a run whose main loop hangs: in the middleware, or on a terminal that takes no more output."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import threading
from collections.abc import Callable, Collection

from crawler_cli.console.exit_code import EXIT_INTERRUPTED, EXIT_NOT_DONE
from crawler_nodes.shutdown.watchdog import install_wakeup_fd, poll_signals

MOTOR_LOOP_TIMEOUT_S = 8.0  # of one turn of a loop that monitors motors
STOP_TIMEOUT_S = 1.0  # of any loop once a signal has asked it to end
MESSAGE_TIMEOUT_S = 0.3  # of the last message


class LoopWatchdog:
    """Context around a loop that calls `feed`. Without it in time, calls `stop` and ends the process."""

    def __init__(self, stop: Callable[[], object], end_signals: Collection[int], drives_motors: bool) -> None:
        """`end_signals` ask the loop to end. Without motors the watchdog waits for one of them."""
        self._stop = stop
        self._end_signals = end_signals
        self._timeout_s = MOTOR_LOOP_TIMEOUT_S if drives_motors else math.inf
        self._waited_s = -math.inf  # since the last `feed`
        self._must_end = False
        self._is_over = threading.Event()

    def __enter__(self) -> LoopWatchdog:
        self._wakeup_fd = install_wakeup_fd()
        threading.Thread(target=self._watch, name="loop watchdog", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        signal.set_wakeup_fd(-1)

    def feed(self) -> None:
        """Report that the loop runs. After an end signal this no longer prolongs its time."""
        if not self._must_end:
            self._waited_s = 0.0

    def _watch(self) -> None:
        code = EXIT_NOT_DONE
        for numbers, passed in poll_signals(self._wakeup_fd):
            if self._is_over.is_set():
                return
            for number in set(numbers).intersection(self._end_signals):
                code = 128 + number if number in (signal.SIGTERM, signal.SIGHUP) else EXIT_INTERRUPTED
                self._timeout_s, self._waited_s, self._must_end = STOP_TIMEOUT_S, 0.0, True
            self._waited_s += passed
            if self._waited_s > self._timeout_s:
                break
        self._stop()
        message = threading.Thread(target=_print_message, daemon=True)  # the terminal may be what hangs
        message.start()
        message.join(MESSAGE_TIMEOUT_S)
        os._exit(code)


def _print_message() -> None:
    with contextlib.suppress(OSError):
        os.write(2, b"crawler: the command line hung, perhaps because its output is not read: the run was ended.\n")
