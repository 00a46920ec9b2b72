"""Which messages of a topic came, by the numbers that the middleware gives them."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any

from crawler_nodes.tap import stamp_of


@dataclass
class Sequence:
    """Feed it `hear`. Of one publisher."""

    first: int = 0  # the number of the first that came; 0: none yet
    latest: int = 0
    heard: int = 0
    stamps: array = field(default_factory=lambda: array("d"))  # s, of those that came

    def hear(self, data: bytes, info: dict[str, Any]) -> None:
        """A serialised message of a topic whose type begins with a header."""
        number = info["publication_sequence_number"]
        self.first = self.first or number
        self.latest = max(self.latest, number)
        self.heard += 1
        self.stamps.append(stamp_of(data))

    @property
    def missed(self) -> int:
        """How many were sent since the first that came, and did not come."""
        return self.latest - self.first + 1 - self.heard if self.heard else 0
