"""Samples of a run that may last for days, in memory that does not grow with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TypeVar, overload

T = TypeVar("T")
FIRST, MIDDLE, LATEST = 0.4, 0.4, 0.2  # of the samples that are kept


class DecimatingBuffer(Sequence[T]):
    """At most `most` samples, in the order in which they came: the first and the latest of them all.

    Of those between, as many as there is room for are kept, at even distances: each then stands for as many as
    `weighted` says. Nothing is left out before `most` have come.
    """

    def __init__(self, most: int) -> None:
        self._room = round(FIRST * most), round(MIDDLE * most), round(LATEST * most)
        self.clear()

    def clear(self) -> None:
        """Forget all of them."""
        self._first: list[T] = []
        self._middle: list[T] = []
        self._latest: list[T] = []
        self._gone = 0  # samples at the beginning of `_latest` that have been handed on
        self._handed = 0  # samples that have come to the middle
        self._every = 1  # so many of them one stands for

    def append(self, sample: T) -> None:
        """Keep one more."""
        first, _, latest = self._room
        if len(self._first) < first:
            self._first.append(sample)
            return
        self._latest.append(sample)
        if len(self._latest) - self._gone > latest:
            self._hand_on(self._latest[self._gone])
            self._gone += 1
            if self._gone > latest:
                del self._latest[: self._gone]
                self._gone = 0

    def _hand_on(self, sample: T) -> None:
        if self._handed % self._every == 0:
            if len(self._middle) >= self._room[1]:
                del self._middle[1::2]
                self._every *= 2
            if self._handed % self._every == 0:
                self._middle.append(sample)
        self._handed += 1

    def weighted(self) -> Iterator[tuple[int, T]]:
        """Each sample behind the number of those that came for which it stands."""
        for sample in self._first:
            yield 1, sample
        for sample in self._middle:
            yield self._every, sample
        for k in range(self._gone, len(self._latest)):
            yield 1, self._latest[k]

    def __len__(self) -> int:
        return len(self._first) + len(self._middle) + len(self._latest) - self._gone

    def __iter__(self) -> Iterator[T]:
        return chain(self._first, self._middle, self._latest[self._gone :])

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return list(self)[index]
        if index < 0:
            index += len(self)
        for part in (self._first, self._middle):
            if 0 <= index < len(part):
                return part[index]
            index -= len(part)
        if index < 0:
            raise IndexError("there are not so many samples")
        return self._latest[self._gone + index]
