"""Functions of time as Chebyshev polynomials on cells: exact calculus, and no sign change goes unseen.

A sampled event detector misses two crossings inside one step. Here a cell is excluded only when a bound on its
polynomial proves that it stays positive, and is otherwise searched by its roots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

Array = NDArray[np.float64]

_CHEBYSHEV_DEGREE = 10
_LOBATTO_NODES = -np.cos(
    np.pi * np.arange(_CHEBYSHEV_DEGREE + 1) / _CHEBYSHEV_DEGREE
)  # Chebyshev-Lobatto: both ends of the cell are sampled
_TO_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(_LOBATTO_NODES, _CHEBYSHEV_DEGREE)).T
_TAIL_TOLERANCE = 1e-11  # last two coefficients, relative to the function's size, of a cell that is fine enough
_SMALLEST_CELL = 1e-6  # of the span; a kink in a gait's acceleration cannot be placed better than this


@dataclass(frozen=True)
class Piecewise:
    """A function on ``edges[0] .. edges[-1]``; row k of ``coefficients`` is its Chebyshev series on cell k."""

    edges: Array
    coefficients: Array

    @classmethod
    def fit(cls, edges: Array, values: Array) -> Piecewise:
        """Interpolate ``values`` given at ``node_times(edges)``."""
        return cls(edges, values @ _TO_COEFFICIENTS)

    def __call__(self, t: Array | float) -> Array:
        t = np.asarray(t, dtype=float)
        k = np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, len(self.edges) - 2)
        x = (2.0 * t - self.edges[k] - self.edges[k + 1]) / (self.edges[k + 1] - self.edges[k])
        rows = np.moveaxis(self.coefficients[k], -1, 0)
        return np.asarray(chebyshev.chebval(x, rows, tensor=False))

    def __add__(self, other: Piecewise) -> Piecewise:
        width = max(self.coefficients.shape[1], other.coefficients.shape[1])
        return Piecewise(self.edges, _widen(self.coefficients, width) + _widen(other.coefficients, width))

    def __rmul__(self, factor: float) -> Piecewise:
        return Piecewise(self.edges, factor * self.coefficients)

    def __sub__(self, other: Piecewise) -> Piecewise:
        return self + -1.0 * other

    def plus(self, constant: float) -> Piecewise:
        """This function raised by a constant."""
        raised = self.coefficients.copy()
        raised[:, 0] += constant
        return Piecewise(self.edges, raised)

    def integral(self) -> Piecewise:
        """The antiderivative that is zero at the start."""
        half = 0.5 * np.diff(self.edges)[:, None]
        local = chebyshev.chebint(self.coefficients, lbnd=-1, axis=1) * half
        gained = local.sum(axis=1)  # every T_n(1) is 1
        local[1:, 0] += np.cumsum(gained)[:-1]
        return Piecewise(self.edges, local)

    @cached_property
    def _lower_bounds(self) -> Array:
        c = self.coefficients
        return np.asarray(c[:, 0] - np.abs(c[:, 1:]).sum(axis=1))

    def minimum(self, start: float, end: float) -> float:
        """Smallest value between two times, to second order in the spacing of the nodes."""
        t = node_times(self.edges).ravel()
        inside = t[(t > start) & (t < end)]
        return float(self(np.concatenate(([start, end], inside))).min())

    def first_negative(self, start: float, before: float, sign: float = 1.0, offset: float = 0.0) -> float | None:
        """Earliest time in [start, before) after which ``sign * self + offset`` is negative; None if there is none."""
        bounds = self._lower_bounds if sign > 0 else self._negated_lower_bounds
        first = int(np.clip(np.searchsorted(self.edges, start, side="right") - 1, 0, len(self.edges) - 2))
        suspects = np.flatnonzero(bounds[first:] + offset < 0.0) + first
        for k in suspects:
            left, right = float(self.edges[k]), float(self.edges[k + 1])
            if left >= before:
                return None
            c = sign * self.coefficients[k]
            c[0] += offset
            found = _first_negative_in_cell(c, left, right, max(left, start))
            if found is not None:
                return found if found < before else None
        return None

    @cached_property
    def _negated_lower_bounds(self) -> Array:
        c = self.coefficients
        return np.asarray(-c[:, 0] - np.abs(c[:, 1:]).sum(axis=1))


def node_times(edges: Array) -> Array:
    """Sampling times, one row per cell."""
    middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    return np.asarray(middle[:, None] + half[:, None] * _LOBATTO_NODES)


def resolve(sample: Callable[[Array], tuple[Array, ...]], start: float, end: float, cells: int = 32) -> Array:
    """Edges of cells on which every sampled function is a polynomial to rounding; coarse cells are halved."""
    edges = np.linspace(start, end, cells + 1)
    done: list[Array] = []
    left, right = edges[:-1], edges[1:]
    scales: Array | None = None
    while len(left):
        half = 0.5 * (right - left)[:, None]
        t = 0.5 * (right + left)[:, None] + half * _LOBATTO_NODES
        values = np.stack(sample(t))
        if scales is None:
            scales = np.abs(values).max(axis=(1, 2)) + np.finfo(float).tiny
        tails = np.abs((values @ _TO_COEFFICIENTS)[..., -2:]).max(axis=2) / scales[:, None]
        coarse = (tails > _TAIL_TOLERANCE).any(axis=0) & (half[:, 0] > _SMALLEST_CELL * (end - start))
        done.append(left[~coarse])
        middle = 0.5 * (left + right)[coarse]
        left, right = np.concatenate((left[coarse], middle)), np.concatenate((middle, right[coarse]))
    return np.append(np.sort(np.concatenate(done)), end)


def _widen(c: Array, width: int) -> Array:
    return np.pad(c, ((0, 0), (0, width - c.shape[1])))


def _first_negative_in_cell(c: Array, left: float, right: float, start: float) -> float | None:
    """Roots cut the cell into intervals of one sign; the answer is the start of the first negative one."""
    significant = np.flatnonzero(np.abs(c) > 1e-15 * np.abs(c).max())
    roots = chebyshev.chebroots(c[: significant[-1] + 1]) if len(significant) else np.empty(0)
    middle, half = 0.5 * (left + right), 0.5 * (right - left)
    real = roots.real[np.abs(roots.imag) < 1e-6]  # a double root may split off the axis; an extra cut does no harm
    t = middle + half * real
    cuts = np.concatenate(([start], np.sort(t[(t > start) & (t < right)]), [right]))
    centres = 0.5 * (cuts[1:] + cuts[:-1])
    signs = chebyshev.chebval((centres - middle) / half, c)
    for cut, value in zip(cuts[:-1], signs, strict=True):
        if value < 0.0:
            return float(cut)
    return None
