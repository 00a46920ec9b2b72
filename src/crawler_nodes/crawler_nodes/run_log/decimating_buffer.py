"""Samples of a run that may last for days, in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TypeVar, overload

SampleT = TypeVar("SampleT")
FIRST_SHARE, MIDDLE_SHARE, LATEST_SHARE = 0.4, 0.4, 0.2  # of the samples in the buffer


class DecimatingBuffer(Sequence[SampleT]):
    """Holds at most `max_samples` samples in their order: the first and the latest of all.

    Of those in between it holds as many as fit, at even distances; `weighted` says for how many each one stands. Before
    `max_samples` have come it holds all.
    """

    def __init__(self, max_samples: int) -> None:
        self._max_first = round(FIRST_SHARE * max_samples)
        self._max_middle = round(MIDDLE_SHARE * max_samples)
        self._max_latest = round(LATEST_SHARE * max_samples)
        self.clear()

    def clear(self) -> None:
        self._first: list[SampleT] = []
        self._middle: list[SampleT] = []
        self._latest: deque[SampleT] = deque()
        self._middle_count = 0  # samples that ever came to the middle
        self._stride = 1  # one of so many of them is held

    def append(self, sample: SampleT) -> None:
        if len(self._first) < self._max_first:
            self._first.append(sample)
            return
        self._latest.append(sample)
        if len(self._latest) > self._max_latest:
            self._append_middle(self._latest.popleft())

    def _append_middle(self, sample: SampleT) -> None:
        if self._middle_count % self._stride == 0:
            if len(self._middle) >= self._max_middle:
                del self._middle[1::2]
                self._stride *= 2
            if self._middle_count % self._stride == 0:
                self._middle.append(sample)
        self._middle_count += 1

    def weighted(self) -> Iterator[tuple[int, SampleT]]:
        """Yield each sample behind the number of samples for which it stands."""
        for weight, samples in ((1, self._first), (self._stride, self._middle), (1, self._latest)):
            for sample in samples:
                yield weight, sample

    def __len__(self) -> int:
        return len(self._first) + len(self._middle) + len(self._latest)

    def __iter__(self) -> Iterator[SampleT]:
        return chain(self._first, self._middle, self._latest)

    @overload
    def __getitem__(self, index: int) -> SampleT: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SampleT]: ...

    def __getitem__(self, index: int | slice) -> SampleT | Sequence[SampleT]:
        if isinstance(index, slice):
            return list(self)[index]
        if index < 0:
            index += len(self)
        for part in (self._first, self._middle, self._latest):
            if 0 <= index < len(part):
                return part[index]
            index -= len(part)
        raise IndexError("there are not so many samples")
