"""The states that a command may still answer: nothing else drives the robot, least of all a recording."""

from __future__ import annotations

from crawler_core.errors import UserError
from crawler_nodes.transport.message_source import node_of


class StampWindow:
    """The states that one backend has sent within the last `span` seconds of its time."""

    def __init__(self, backend: str, span: float) -> None:
        """`backend` is its name as `speakers.own_name` gives it."""
        self._backend = backend
        self._span = round(span * 1e9)  # ns
        self._stamps: dict[int, None] = {}  # in the order in which they were sent
        self._newest = 0

    def ask(self, stamp: int) -> None:
        """A state is sent, perhaps again."""
        if stamp < self._newest:
            self._stamps.clear()  # time went back: what was before is of another time
        self._newest = stamp
        self._stamps[stamp] = None
        while (oldest := next(iter(self._stamps))) < stamp - self._span:
            del self._stamps[oldest]

    def check(self, backend: str, stamp: int) -> None:
        """Raise UserError where the state of that backend and stamp is none of these."""
        if backend == self._backend and stamp in self._stamps:
            return
        if not backend:
            which = "no state"
        elif backend != self._backend:
            which = f"a state of another run, of {node_of(backend)}"
        else:
            which = f"the state of {stamp * 1e-9:.3f} s, and it is {self._newest * 1e-9:.3f} s now"
        raise UserError(
            f"joint_commands answers {which}: a command carries the header of the joint_states that it answers, "
            f"not older than {self._span * 1e-9:.3g} s."
        )
