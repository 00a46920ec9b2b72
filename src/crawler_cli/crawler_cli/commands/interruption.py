"""Ctrl-C and SIGTERM, for commands that have something to put in order first."""

from __future__ import annotations

import signal


class AskedToEnd:
    """Whether Ctrl-C or SIGTERM came. `at_once`: it also interrupts; otherwise whoever works looks here."""

    def __init__(self, at_once: bool) -> None:
        self.at_once = at_once
        self._asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._hear)

    def __call__(self) -> bool:
        return self._asked

    def _hear(self, _number: int, _frame: object) -> None:
        self._asked = True
        if self.at_once:
            raise KeyboardInterrupt
