"""A thread that ends its process in time: torque off first, then exit.

The loop of a node may hang, in its middleware for instance, and then sees no signal. Only where Python itself does not
run must another process kill this one.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from crawler_nodes.shutdown.end_signals import end_signals
from crawler_nodes.shutdown.parent import ParentProcess

POLL_PERIOD_S = 0.1
MAX_POLL_S = 0.15  # that one poll counts for; the rest is the delay of a busy machine and not of this process
LOOP_NOTICE_S = 0.7  # from the end request until the loop has noticed it
CLEANUP_S = 1.4  # from the end request until the process has ended
RELEASE_TORQUE_S = 0.3  # for the torque to go off, where the loop did not see to that
FORCED_EXIT_S = 1.8  # after which the process ends even where Python does not run
EXIT_HUNG = 1  # exit code where the cleanup was left to this thread


def install_wakeup_fd() -> int:
    """Return a file descriptor that receives the numbers of handled signals, whatever the main thread is doing."""
    read_fd, write_fd = os.pipe()
    os.set_blocking(write_fd, False)
    signal.set_wakeup_fd(write_fd, warn_on_full_buffer=False)
    return read_fd


def poll_signals(wakeup_fd: int) -> Iterator[tuple[bytes, float]]:
    """Yield every tenth of a second the signals since the last poll, and the seconds that the poll counts for."""
    while True:
        began = time.monotonic()
        numbers = os.read(wakeup_fd, 100) if select.select([wakeup_fd], [], [], POLL_PERIOD_S)[0] else b""
        yield numbers, min(time.monotonic() - began, MAX_POLL_S)


class ShutdownWatchdog:
    """Receives the signals that end this process, and notices when its parent is gone.

    The loop polls `should_end` and calls `begin_cleanup` and `finished`. Where it does not in time, the watchdog turns
    the torque off and ends the process.
    """

    def __init__(self, drives_motors: bool = False) -> None:
        """A process that drives motors also ends on Ctrl-Z, and while its parent is stopped."""
        self.end_requested = False
        self.reason = ""  # of the request, where it was not simply a signal
        self._drives_motors = drives_motors
        self._parent = ParentProcess()
        self._release_torque: Callable[[], None] | None = None
        self._code = 0
        self._timeout_s = LOOP_NOTICE_S
        self._end_signals = end_signals()
        for number in (*self._end_signals, *([signal.SIGTSTP] if drives_motors else [])):
            signal.signal(number, lambda *_: None)
        self._wakeup_fd = install_wakeup_fd()
        threading.Thread(target=self._watch, name="shutdown watchdog", daemon=True).start()

    def guard(self, release_torque: Callable[[], None]) -> None:
        """Call `release_torque` before the process ends; it must be callable from any thread at any time."""
        self._release_torque = release_torque
        self._code = EXIT_HUNG

    def should_end(self) -> bool:
        """Return whether the loop shall end. Once it knows, it gets time for its cleanup."""
        if self.end_requested:
            self._timeout_s = CLEANUP_S
        return self.end_requested

    def begin_cleanup(self) -> None:
        """Note that the loop has ended and the cleanup begins."""
        self.end_requested = True
        self._timeout_s = CLEANUP_S
        # a thread outside of Python, so it works where Python does not run; it logs where that was
        faulthandler.dump_traceback_later(FORCED_EXIT_S, exit=True, file=2)

    def finished(self, code: int) -> None:
        """Note that the cleanup is done: should anything hang from now on, the process ends with `code`."""
        self._release_torque = None
        self._code = code

    def end(self) -> None:
        """End at once: what the interpreter and the middleware still do at exit may hang."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(self._code)

    def _watch(self) -> None:
        waited_s = 0.0
        for numbers, passed_s in poll_signals(self._wakeup_fd):
            if numbers:
                self._handle_signals(numbers)
            elif not self.end_requested:
                self._request_end(self._parent.end_reason(self._drives_motors))
            waited_s += passed_s * self.end_requested
            if waited_s > self._timeout_s:
                break
        if self._release_torque is not None:
            self._release_and_report(self._release_torque)
        os._exit(self._code)

    def _release_and_report(self, release_torque: Callable[[], None]) -> None:
        last = threading.Thread(target=release_torque, daemon=True)
        last.start()
        last.join(RELEASE_TORQUE_S)
        sentence = (
            f"{process_name()}: {self.reason or 'it was asked to end'}, but its loop hangs: the watchdog ended it."
        )
        with contextlib.suppress(OSError):
            os.write(2, f"{sentence}\n".encode())

    def _handle_signals(self, numbers: bytes) -> None:
        if signal.SIGTSTP in numbers:
            self._request_end("Ctrl-Z would leave the motors as they are")
        if any(number in numbers for number in self._end_signals):
            # the kernel sends one where the parent dies, so the reason is set before the loop sees the request
            self._request_end(self._parent.end_reason(False))
            self.end_requested = True

    def _request_end(self, reason: str) -> None:
        self.reason = self.reason or reason
        self.end_requested = self.end_requested or bool(reason)


def process_name() -> str:
    """Return the name of this process in its messages."""
    return Path(sys.argv[0]).stem.removesuffix("_node")
