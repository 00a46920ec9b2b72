"""Selection of the actuated joints from joint_states."""

from __future__ import annotations

import math
from collections.abc import Sequence

from crawler_nodes.messages.joint_message import JointMessage


class JointSelector:
    """Selects joints by name. The order of a message's joints is looked up again only when it changes."""

    def __init__(self, names: Sequence[str]) -> None:
        self._selected = names
        self._message_names: list[str] = []
        self._indices: list[int] = []
        self._unknown = [math.nan] * len(names)

    def select(self, message: JointMessage) -> tuple[list[float], list[float]]:
        """Return position (rad) and velocity (rad/s) of the joints; all NaN where the message lacks one of them."""
        if message.name != self._message_names:
            names = self._message_names = list(message.name)
            self._indices = [names.index(name) for name in self._selected if name in names]
        p, v, count = message.position, message.velocity, len(self._message_names)
        if len(p) != count or len(v) != count or len(self._indices) != len(self._selected):
            return self._unknown, self._unknown
        return [p[i] for i in self._indices], [v[i] for i in self._indices]
