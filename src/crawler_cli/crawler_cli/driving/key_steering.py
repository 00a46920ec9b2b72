"""Steering by the keys of a terminal, which shows presses and repeats but no release."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

FIRST_HOLD_S = 0.7  # after a press: terminals wait up to 0.66 s before they repeat a key that is held
REPEAT_HOLD_S = 0.3  # after a repeat
SHARE_STEP = 0.1
MOVES = {  # direction forward and to the left by key
    b"w": (1, 0),
    b"\x1b[A": (1, 0),
    b"s": (-1, 0),
    b"\x1b[B": (-1, 0),
    b"a": (0, 1),
    b"\x1b[D": (0, 1),
    b"d": (0, -1),
    b"\x1b[C": (0, -1),
}


class Action(Enum):
    """What a key or a button asks for beside motion."""

    ESTOP = "e"
    QUIT = "q"


ACTIONS = {b"e": Action.ESTOP, b"q": Action.QUIT}


class KeySteering:
    """The direction that the held keys ask for, and the share of the fastest speed.

    A held move goes on. A turn beside a held move makes a curve. Releasing all keys stops.
    """

    def __init__(self) -> None:
        self.share = 0.5  # of the fastest speed
        self._direction = (0, 0)
        self._key = b""  # the last move
        self._until_s = 0.0  # when the last move ends unless it is repeated
        self._pressed_s = -1e9
        self._rest = b""  # the begin of a sequence that is not complete

    def feed(self, data: bytes, now_s: float) -> list[Action]:
        """Take what the terminal has sent; return the actions in it."""
        actions = []
        for key in self._keys(data):
            if key in MOVES:
                self._move(key, now_s)
            elif key in ACTIONS:
                actions.append(ACTIONS[key])
                self.stop()
            elif key in (b"+", b"="):
                self.share = min(1.0, self.share + SHARE_STEP)
            elif key == b"-":
                self.share = max(SHARE_STEP, self.share - SHARE_STEP)
            else:  # space, and any other: whoever hits the wrong key wants no motion
                self.stop()
        return actions

    def stop(self) -> None:
        self._direction, self._key, self._until_s = (0, 0), b"", 0.0

    def direction(self, now_s: float) -> tuple[int, int]:
        """Return the direction forward and to the left: -1, 0 or 1 each."""
        if now_s > self._until_s:
            self.stop()
        return self._direction

    def _move(self, key: bytes, now_s: float) -> None:
        is_repeat = key == self._key and now_s - self._pressed_s < FIRST_HOLD_S
        forward, left = MOVES[key]
        if left and now_s <= self._until_s:
            forward = self._direction[0]  # a curve
        self._direction, self._key, self._pressed_s = (forward, left), key, now_s
        self._until_s = now_s + (REPEAT_HOLD_S if is_repeat else FIRST_HOLD_S)

    def _keys(self, data: bytes) -> Iterator[bytes]:
        """Split what a terminal sends into keys; cursor keys are sequences of three bytes."""
        data = (self._rest + data).replace(b"\x1bO", b"\x1b[")
        self._rest = b""
        while data:
            if data[:1] == b"\x1b" and len(data) < 3 and data in (b"\x1b", b"\x1b["):
                self._rest = data
                return
            size = 3 if data[:2] == b"\x1b[" else 1
            yield data[:size].lower() if size == 1 else data[:size]
            data = data[size:]
