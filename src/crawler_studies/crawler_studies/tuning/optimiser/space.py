"""The space of a tuning: named ranges, some of them periodic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crawler_core.errors import UserError
from crawler_core.types import FloatArray
from crawler_studies.study.study_case import Point, StudyCase

PERIODS = {"deg": 360.0, "rad": 2.0 * math.pi}  # by the parameter's unit
RESOLUTION = 1e-4  # of a range: points are rounded to about this, so that a --set line repeats them exactly


@dataclass(frozen=True)
class Variable:
    """A number that is varied, in the unit of its parameter."""

    name: str
    low: float
    high: float
    whole: bool = False  # whole numbers only
    periodic: bool = False  # low and high are the same angle

    @property
    def decimals(self) -> int:
        return 0 if self.whole else max(0, math.ceil(-math.log10(RESOLUTION * (self.high - self.low))))

    def round(self, value: float) -> float:
        return min(max(round(value, self.decimals), self.low), self.high)


@dataclass(frozen=True)
class TuningSpace:
    """The box of all variables, which the optimiser uses as the unit cube."""

    variables: tuple[Variable, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(variable.name for variable in self.variables)

    @property
    def size(self) -> int:
        return len(self.variables)

    @property
    def periodic(self) -> list[int]:
        """The indices of the periodic variables."""
        return [i for i, variable in enumerate(self.variables) if variable.periodic]

    def point(self, unit: FloatArray) -> dict[str, float]:
        """Return the point at a place of the unit cube, rounded."""
        pairs = zip(self.variables, unit.tolist(), strict=True)
        return {v.name: v.round(v.low + (v.high - v.low) * u) for v, u in pairs}

    def unit(self, point: Point) -> FloatArray:
        """Return the place of a point in the unit cube."""
        return np.array([(point[v.name] - v.low) / (v.high - v.low) for v in self.variables])

    def inside(self, units: FloatArray) -> FloatArray:
        """Return places in the cube: a periodic variable wraps round, another one is clipped."""
        back = np.clip(units, 0.0, 1.0)
        back[..., self.periodic] = units[..., self.periodic] % 1.0
        return back

    def features(self, units: FloatArray) -> FloatArray:
        """Return the inputs of the surrogate: a periodic angle becomes a point on a circle of circumference 1."""
        columns = []
        for i, variable in enumerate(self.variables):
            if variable.periodic:
                angle = 2.0 * math.pi * units[:, i]
                columns += [np.cos(angle) / (2.0 * math.pi), np.sin(angle) / (2.0 * math.pi)]
            else:
                columns.append(units[:, i])
        return np.column_stack(columns)


def make_space(case: StudyCase, words: Sequence[str]) -> TuningSpace:
    """Make the space from words such as 'gait.psi=0:180', or 'gait.psi' for its search range. Raises UserError."""
    if not words:
        raise UserError("there is nothing to tune: name parameters, such as gait.psi or gait.psi=0:180.")
    variables = tuple(_parse_variable(case, word.strip()) for word in words)
    names = [variable.name for variable in variables]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"{name} is given twice: name each parameter once.")
    return TuningSpace(variables)


def _parse_variable(case: StudyCase, word: str) -> Variable:
    name, equals, ends = word.partition("=")
    info = case.info(name)
    if equals:
        low, high = _parse_range(word, ends)
        case.check_range(name, low, high)
    else:
        search_low, search_high = info.search_range or (-math.inf, math.inf)
        low = max(search_low, -math.inf if info.lower is None else info.lower)
        high = min(search_high, math.inf if info.upper is None else info.upper)
        if not (math.isfinite(low) and math.isfinite(high)):
            raise UserError(
                f"{name} has no search range: give one, such as {name}={info.default:g}:{info.default + 1:g}."
            )
    periodic = info.periodic and math.isclose(high - low, PERIODS.get(info.unit, math.nan))
    return Variable(name, low, high, whole=info.type is int, periodic=periodic)


def _parse_range(word: str, text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    try:
        ends = float(low), float(high)
    except ValueError:
        raise UserError(f"'{word}' is no range: write name=low:high, such as gait.psi=0:180.") from None
    if not colon or not all(math.isfinite(end) for end in ends):
        raise UserError(f"'{word}' is no range: write name=low:high, such as gait.psi=0:180.")
    if ends[0] >= ends[1]:
        raise UserError(f"the range of '{word}' is empty: write the lower end first, such as gait.psi=0:180.")
    return ends
