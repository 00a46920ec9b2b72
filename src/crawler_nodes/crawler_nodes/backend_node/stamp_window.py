"""The states that a command may still answer: no other command drives the robot, above all no recorded one."""

from __future__ import annotations

from crawler_core.errors import UserError
from crawler_nodes.transport.message_source import sender_node


class StampWindow:
    """The stamps of the states that one backend has sent within the last `span_s` seconds of its time."""

    def __init__(self, backend: str, span_s: float) -> None:
        """`backend` is its instance name."""
        self._backend = backend
        self._span_ns = round(span_s * 1e9)
        self._stamps: dict[int, None] = {}  # in the order in which they were sent
        self._latest = 0

    def add(self, stamp: int) -> None:
        """Add a state that is sent, perhaps again."""
        if stamp < self._latest:
            self._stamps.clear()  # time went back: the earlier stamps are of another run
        self._latest = stamp
        self._stamps[stamp] = None
        while (oldest := next(iter(self._stamps))) < stamp - self._span_ns:
            del self._stamps[oldest]

    def has(self, stamp: int) -> bool:
        """Return whether a state of the window has this stamp."""
        return stamp in self._stamps

    def check(self, backend: str, stamp: int) -> None:
        """Raise UserError where this backend sent no such state within the window."""
        if backend == self._backend and stamp in self._stamps:
            return
        if not backend:
            answered = "no state"
        elif backend != self._backend:
            answered = f"a state of another run, of {sender_node(backend)}"
        else:
            answered = f"the state of {stamp * 1e-9:.3f} s, and it is {self._latest * 1e-9:.3f} s now"
        raise UserError(
            f"joint_commands answers {answered}: copy the header of the latest joint_states, which must not be older "
            f"than {self._span_ns * 1e-9:.3g} s; to command from a node of your own, start with --controller none "
            "(controller:=none)."
        )
