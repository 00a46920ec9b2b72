"""Handle Ctrl-C, SIGTERM and SIGHUP.

An exception from a signal handler can surface inside an import or a callback, which swallows it or raises another one.
Therefore this module also records that a signal came.
"""

from __future__ import annotations

import os
import signal
import stat

from crawler_cli.console.exit_code import EXIT_INTERRUPTED
from crawler_nodes.shutdown.end_signals import end_signals

_received: list[int] = []


def exit_on_interrupt() -> None:
    """Let Ctrl-C end the process immediately: for the seconds of the imports, before any work has begun.

    `setup/start.py` blocks the signal until this call.
    """
    signal.signal(signal.SIGINT, lambda *_: os._exit(EXIT_INTERRUPTED))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def raise_on_interrupt() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, and forget earlier signals."""
    _received.clear()
    signal.signal(signal.SIGINT, _raise)


def was_interrupted() -> bool:
    """Return whether Ctrl-C, SIGTERM or SIGHUP came since `raise_on_interrupt`."""
    return bool(_received)


def drop_terminal(number: int) -> None:
    """Discard what is printed from now on if the signal is that of a terminal that is gone: printing would fail."""
    if number != signal.SIGHUP:
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        if stat.S_ISCHR(os.fstat(stream).st_mode):
            os.dup2(nowhere, stream)
    os.close(nowhere)


def _raise(number: int, _frame: object) -> None:
    _received.append(number)
    raise KeyboardInterrupt


class StopRequest:
    """Catches Ctrl-C, SIGTERM and SIGHUP. Calling it returns whether one came.

    With `raises`, the signal also raises KeyboardInterrupt. Otherwise the caller polls.
    """

    def __init__(self, raises: bool) -> None:
        self.raises = raises
        self._requested = False
        for number in end_signals():
            signal.signal(number, self._on_signal)

    def __call__(self) -> bool:
        return self._requested

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal came: for loops that poll."""
        if self._requested:
            raise KeyboardInterrupt

    def _on_signal(self, number: int, frame: object) -> None:
        self._requested = True
        drop_terminal(number)
        if self.raises:
            _raise(number, frame)
