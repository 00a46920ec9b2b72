"""Choice of the one publisher whose messages of a topic are used."""

from __future__ import annotations

import time
from collections.abc import Callable

from crawler_nodes.transport.message_source import sender_node

SOURCE_TIMEOUT_S = 2.0  # of silence after which another sender may take over
MISSED_PERIODS = 4.0  # a sender with a longer period may miss so many before another takes over


class SourceArbiter:
    """Accepts the messages of one sender: the first, until it has been silent for the timeout."""

    def __init__(self, timeout_s: float = SOURCE_TIMEOUT_S, clock: Callable[[], float] | None = None) -> None:
        self.source: str | None = None
        self.ignored = 0  # messages of other senders
        self._ignored_sender = ""  # of the latest of them
        self._timeout_s = timeout_s
        self._clock = clock or time.monotonic
        self._accepted_at = 0.0  # s, when the latest message was accepted
        self._period = 0.0  # s between the last two messages; slow publishers get a longer timeout

    def accept(self, sender: str, allow_takeover: bool = True) -> bool:
        """Return whether a message of `sender` counts. Without `allow_takeover` the source stays the same."""
        now = self._clock()
        silence = now - self._accepted_at
        if sender == self.source:
            self._period = silence
        elif self.source is None or (allow_takeover and silence > max(self._timeout_s, MISSED_PERIODS * self._period)):
            self.source, self._period = sender, 0.0
        else:
            self.ignored += 1
            self._ignored_sender = sender
            return False
        self._accepted_at = now
        return True

    @property
    def source_node(self) -> str:
        """The node that is followed, for a person; empty before the first message."""
        return "" if self.source is None else sender_node(self.source)

    def warning(self, topic: str) -> str:
        """Return a sentence on the latest message that was ignored."""
        return f"{topic} from {sender_node(self._ignored_sender)} are ignored: {self.source_node} is followed"
