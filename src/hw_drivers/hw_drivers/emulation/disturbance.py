"""Disturbances of the line between a driver and its devices, equal for equal seeds."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TypeVar

SPOILING = ("garbled", "lost", "doubled")  # bytes
DELAYING = ("delayed", "late", "late_commands", "repeated")  # whole writes, answers or frames
KINDS = (*SPOILING, *DELAYING)
MIN_DELAY_S = 1e-3  # of `delayed`

Data = TypeVar("Data")  # the unit that travels on the line: bytes or a frame


@dataclass(frozen=True)
class Disturbance:
    """A kind of disturbance and its amount.

    garbled, lost, doubled: the share of the bytes that are. delayed: everything comes later, by MIN_DELAY_S to `amount`
    (s), in its order. late: everything comes `amount` (s) later; late_commands: what the driver sends without a request
    for an answer does. repeated: everything comes twice, the second time `amount` (s) later.
    """

    kind: str
    amount: float

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"there is no disturbance '{self.kind}': take one of {', '.join(KINDS)}")


LINE_FAULTS = {
    "noisy": Disturbance("garbled", 0.01),
    "old_commands": Disturbance("late_commands", 0.1),
    "played_back": Disturbance("repeated", 0.1),
}
LINE_FAULTS_DOC = (
    "noisy: one byte in a hundred is garbled; old_commands: servos and PWM boards get commands 0.1 s late; "
    "played_back: everything on the lines comes again 0.1 s later"
)


class DisturbedWay:
    """One direction of a line under a disturbance."""

    def __init__(self, disturbance: Disturbance, seed: str) -> None:
        self.kind, self._amount = disturbance.kind, disturbance.amount
        self._random = random.Random(seed)
        self._last_ns = 0  # when the last delayed unit arrives

    def is_hit(self, size: int) -> bool:
        """Return True if any of `size` bytes is spoiled."""
        return self.kind in SPOILING and self._random.random() >= (1.0 - self._amount) ** size

    def spoil(self, data: bytes) -> bytes:
        """Return the bytes as they arrive."""
        if self.kind not in SPOILING:
            return data
        spoiled = bytearray()
        for value in data:
            if self._random.random() >= self._amount:
                spoiled.append(value)
            elif self.kind == "garbled":
                spoiled.append(value ^ self._random.randrange(1, 256))
            elif self.kind == "doubled":
                spoiled += bytes((value, value))
        return bytes(spoiled)

    def arrivals(self, arrival_ns: int, *, is_command: bool = True) -> list[int]:
        """Return when (ns) a unit arrives that would arrive at `arrival_ns`, once or twice.

        `is_command`: it was sent to devices without a request for an answer.
        """
        lateness_ns = round(1e9 * self._amount)
        if self.kind == "delayed":
            delay_ns = round(1e9 * self._random.uniform(MIN_DELAY_S, self._amount))
            self._last_ns = max(self._last_ns, arrival_ns + delay_ns)
            return [self._last_ns]
        if self.kind == "late" or (self.kind == "late_commands" and is_command):
            return [arrival_ns + lateness_ns]
        return [arrival_ns, arrival_ns + lateness_ns] if self.kind == "repeated" else [arrival_ns]


def disturbed_ways(disturbance: Disturbance | None, seed: int) -> tuple[DisturbedWay | None, DisturbedWay | None]:
    """Return the ways to the devices and to the driver under a disturbance, or None for both."""
    if disturbance is None:
        return None, None
    return DisturbedWay(disturbance, f"{seed} to devices"), DisturbedWay(disturbance, f"{seed} to driver")
