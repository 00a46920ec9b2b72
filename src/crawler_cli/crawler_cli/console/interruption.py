"""Ctrl-C and SIGTERM: quiet at any moment, and heard by commands that have something to put in order first.

An exception out of a signal handler may come in the middle of an import or of a callback, which then end as some other
error, or swallow it. So it is remembered here that there was an interruption, whatever becomes of it.
"""

from __future__ import annotations

import os
import signal

EXIT_INTERRUPTED = 130
_heard: list[int] = []


def end_at_once() -> None:
    """Ctrl-C ends the process there and then: for the seconds in which nothing has been begun but imports.

    `setup/start.py` holds the signal off until here.
    """
    signal.signal(signal.SIGINT, lambda *_: os._exit(EXIT_INTERRUPTED))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def interrupt() -> None:
    """Ctrl-C raises KeyboardInterrupt, and `interrupted` knows of it."""
    _heard.clear()
    signal.signal(signal.SIGINT, _raise)


def interrupted() -> bool:
    """Whether Ctrl-C or SIGTERM came since `interrupt`."""
    return bool(_heard)


def _raise(number: int, _frame: object) -> None:
    _heard.append(number)
    raise KeyboardInterrupt


class StopRequest:
    """Whether Ctrl-C or SIGTERM came. `at_once`: it also interrupts; otherwise whoever works looks here."""

    def __init__(self, at_once: bool) -> None:
        self.at_once = at_once
        self._asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._hear)

    def __call__(self) -> bool:
        return self._asked

    def check(self) -> None:
        """Raise KeyboardInterrupt once one came: for loops that are not interrupted at once."""
        if self._asked:
            raise KeyboardInterrupt

    def _hear(self, number: int, frame: object) -> None:
        self._asked = True
        if self.at_once:
            _raise(number, frame)
