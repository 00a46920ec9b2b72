"""Error bits of a device, with their meanings and remedies."""

from __future__ import annotations

from collections.abc import Mapping


class ErrorTable(dict[int, tuple[str, str]]):
    """Meaning and remedy of each bit of a device's error register."""

    def __init__(self, rows: Mapping[int, tuple[str, str]], *, unknown_remedy: str) -> None:
        """`unknown_remedy` is for bits that `rows` does not have."""
        super().__init__(rows)
        self._unknown_remedy = unknown_remedy

    def explain(self, bits: int) -> tuple[tuple[str, ...], str]:
        """Return the meanings of all set bits, and their remedies; nothing without errors."""
        rows = [row for bit, row in self.items() if bits & bit]
        if unknown := bits & ~sum(self):
            rows.append((f"an unknown error 0x{unknown:x}", self._unknown_remedy))
        return tuple(meaning for meaning, _ in rows), "; ".join(remedy for _, remedy in rows)
