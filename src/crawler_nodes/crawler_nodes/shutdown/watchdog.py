"""A thread that sees to it that its process ends when it should: torque off first, then out.

The loop of a node may hang, in its middleware for instance, and then hears no signal. Only where Python itself stands
still must somebody else kill the process.
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

from crawler_nodes.shutdown.parent import Parent

LOOK = 0.1  # s between two looks
TURN = 0.15  # s that one look can count for: what a busy or a stopped machine takes besides is not the process's fault
BEGINS = 0.7  # s from the wish until the loop has heard of it
LEAVES = 1.4  # s from the wish until it has left
LETS_GO = 0.3  # s that the torque may take to go off, where the loop did not see to that
LAST = 1.8  # s after which even what keeps Python from running is ended
HANGS = 1  # exit code where the motors, or what else there is to leave in order, had to be left to this thread


def hear_signals() -> int:
    """Where the numbers of signals with a handler come out from now on, whatever the main thread is doing."""
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    return heard


def looks(heard: int) -> Iterator[tuple[bytes, float]]:
    """Look up every tenth of a second: the signals since, and for how many seconds nothing was done about anything."""
    while True:
        began = time.monotonic()
        numbers = os.read(heard, 100) if select.select([heard], [], [], LOOK)[0] else b""
        yield numbers, min(time.monotonic() - began, TURN)


class ShutdownWatchdog:
    """Hears the signals that ask this process to end, and whether the one that started it is gone.

    The loop looks at `asked_to_end`, and says `leave` and `done`; where it does not in time, the process ends here.
    """

    def __init__(self, moves: bool = False) -> None:
        """`moves`: it drives motors, so it ends too where whoever started it is stopped, and at Ctrl-Z."""
        self.asked = False
        self.why = ""  # it was asked, where that was not simply by a signal: words
        self._moves = moves
        self._parent = Parent()
        self._let_go: Callable[[], None] | None = None
        self._code = 0
        self._patience = BEGINS
        for number in (signal.SIGINT, signal.SIGTERM, *([signal.SIGTSTP] if moves else [])):
            signal.signal(number, lambda *_: None)
        self._heard = hear_signals()
        threading.Thread(target=self._watch, name="guardian", daemon=True).start()

    def guard(self, release_torque: Callable[[], None]) -> None:
        """From now on the process must not end before `release_torque`, which any thread can call whatever the others do."""
        self._let_go = release_torque
        self._code = HANGS

    def asked_to_end(self) -> bool:
        """Whether the loop shall end. Once it knows, it has some time for that."""
        if self.asked:
            self._patience = LEAVES
        return self.asked

    def leave(self) -> None:
        """The loop has ended, and what there is to leave in order is now."""
        self.asked = True
        self._patience = LEAVES
        # by a thread that is not Python's, and so even where Python stands still; it shows in the log where that was
        faulthandler.dump_traceback_later(LAST, exit=True, file=2)

    def done(self, code: int) -> None:
        """All is in order, and what remains may hang as it likes: the process ends with `code`."""
        self._let_go = None
        self._code = code

    def end(self) -> None:
        """End at once, in order: what the interpreter and the middleware would do yet could hang."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(self._code)

    def _watch(self) -> None:
        waited = 0.0
        for numbers, passed in looks(self._heard):
            if numbers:
                self._hear(numbers)
            elif not self.asked:
                self._ask(self._parent.trouble(self._moves))
            waited += passed * self.asked
            if waited > self._patience:
                break
        if self._let_go is not None:
            last = threading.Thread(target=self._let_go, daemon=True)
            last.start()
            last.join(LETS_GO)
            why = self.why or "it was asked to end"
            sentence = f"{own_name()}: {why}, and its loop hangs: it was ended without it."
            with contextlib.suppress(OSError):
                os.write(2, f"{sentence}\n".encode())
        os._exit(self._code)

    def _hear(self, numbers: bytes) -> None:
        if signal.SIGTSTP in numbers:
            self._ask("Ctrl-Z would leave the motors as they are")
        if signal.SIGINT in numbers or signal.SIGTERM in numbers:
            self._ask(self._parent.trouble(False))  # the kernel sends it where the parent dies
            self.asked = True  # last: once the loop reads it, it asks why, and nobody's death must pass for a wish

    def _ask(self, why: str) -> None:
        self.why = self.why or why
        self.asked = self.asked or bool(why)


def own_name() -> str:
    """What this process is called in what it says by itself."""
    return Path(sys.argv[0]).stem.removesuffix("_node")
