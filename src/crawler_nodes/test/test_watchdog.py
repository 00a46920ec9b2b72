"""What the guardian knows when the loop is told to end."""

import signal
from typing import Any

import pytest

from crawler_nodes.shutdown.end_signals import end_signals
from crawler_nodes.shutdown.watchdog import ShutdownWatchdog


class Parent:
    """Says what is wrong with it, and whether the loop was told to end before that was known."""

    def __init__(self, guardian, trouble):
        self.guardian, self._trouble = guardian, trouble
        self.too_soon = False

    def end_reason(self, drives_motors):
        self.too_soon |= self.guardian.end_requested
        return self._trouble


@pytest.mark.parametrize("trouble", ["its parent process 7 is gone", ""])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_loop_is_told_to_end_once_it_is_known_why(number, trouble):
    guardian = ShutdownWatchdog.__new__(ShutdownWatchdog)  # without its thread, and this process's signals
    guardian.end_requested, guardian.reason, guardian._end_signals = False, "", end_signals()
    parent: Any = Parent(guardian, trouble)
    guardian._parent = parent
    guardian._handle_signals(bytes([number]))
    assert guardian.end_requested
    assert guardian.reason == trouble
    assert not parent.too_soon
