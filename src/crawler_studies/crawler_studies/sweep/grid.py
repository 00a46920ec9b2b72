"""The grid of a sweep: every combination of its variables' values, the last variable running fastest."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from crawler_core.errors import UserError
from crawler_core.types import FloatArray
from crawler_studies.sweep.variable import SweepVariable

MAX_POINTS = 10_000_000  # all are in memory for the table


@dataclass(frozen=True)
class Grid:
    """Variables, and the numbered points that they span."""

    variables: tuple[SweepVariable, ...]

    def __post_init__(self) -> None:
        if not self.variables:
            raise UserError("a sweep needs something to vary: give --vary, such as --vary gait.omega=0.3:20:100.")
        if self.size > MAX_POINTS:
            raise UserError(f"{self.size} points are more than a sweep takes, {MAX_POINTS}: vary less, or in parts.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(variable.name for variable in self.variables)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(variable.values) for variable in self.variables)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def coordinates(self, numbers: Iterable[int]) -> FloatArray:
        """Return the variables' values at the points with these numbers, one row each."""
        indices = np.unravel_index(np.fromiter(numbers, dtype=np.int64), self.shape)
        columns = [np.array(v.values)[index] for v, index in zip(self.variables, indices, strict=True)]
        return np.stack(columns, axis=-1)

    def points(self, numbers: Iterable[int]) -> list[dict[str, float]]:
        return [dict(zip(self.names, row, strict=True)) for row in self.coordinates(numbers).tolist()]
