"""Covariance matrix adaptation (N. Hansen, "The CMA Evolution Strategy: A Tutorial"), for maximising.

It ranks points instead of using their values, so that penalties and kinks do no harm, and learns which coefficients
must change together.
"""

from __future__ import annotations

import math

import numpy as np

from crawler_core.types import FloatArray


class EvolutionStrategy:
    """Asks for the merits of one population after another."""

    def __init__(self, start: FloatArray, spread: float, population: int, random: np.random.Generator) -> None:
        n = len(start)
        self._random = random
        self._population = population
        weights = math.log(population / 2 + 0.5) - np.log(np.arange(1, population // 2 + 1))
        self._weights = weights / weights.sum()
        self._selected = 1.0 / float((self._weights**2).sum())  # mu_eff
        s = self._selected
        self._c_c = (4.0 + s / n) / (n + 4.0 + 2.0 * s / n)
        self._c_sigma = (s + 2.0) / (n + s + 5.0)
        self._c_1 = 2.0 / ((n + 1.3) ** 2 + s)
        self._c_mu = min(1.0 - self._c_1, 2.0 * (s - 2.0 + 1.0 / s) / ((n + 2.0) ** 2 + s))
        self._damping = 1.0 + 2.0 * max(0.0, math.sqrt((s - 1.0) / (n + 1.0)) - 1.0) + self._c_sigma
        self._normal_length = math.sqrt(n) * (
            1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)
        )  # expected length of a normal vector
        self._mean = np.array(start, dtype=float)
        self._sigma = spread
        self._covariance = np.eye(n)
        self._axes, self._lengths = np.eye(n), np.ones(n)
        self._path, self._path_sigma = np.zeros(n), np.zeros(n)
        self._steps = np.empty((0, n))
        self._generation = 0

    @property
    def spread(self) -> float:
        """Standard deviation of the population along its longest axis."""
        return self._sigma * float(self._lengths.max())

    def ask(self) -> FloatArray:
        """Return the next population, one point per row."""
        normal = self._random.standard_normal((self._population, len(self._mean)))
        self._steps = (normal * self._lengths) @ self._axes.T
        return np.asarray(self._mean + self._sigma * self._steps)

    def tell(self, merits: FloatArray) -> None:
        """Learn the merits of the points just asked for; larger is better."""
        self._generation += 1
        n = len(self._mean)
        best = self._steps[np.argsort(-merits, kind="stable")[: len(self._weights)]]
        step = self._weights @ best
        self._mean = self._mean + self._sigma * step
        whitened = self._axes @ ((step @ self._axes) / self._lengths)
        keep = 1.0 - self._c_sigma
        gain = math.sqrt(self._c_sigma * (2.0 - self._c_sigma) * self._selected)
        self._path_sigma = keep * self._path_sigma + gain * whitened
        length = float(np.linalg.norm(self._path_sigma))
        settled = (
            length / math.sqrt(1.0 - keep ** (2 * self._generation)) < (1.4 + 2.0 / (n + 1.0)) * self._normal_length
        )
        gain = math.sqrt(self._c_c * (2.0 - self._c_c) * self._selected) if settled else 0.0
        self._path = (1.0 - self._c_c) * self._path + gain * step
        missing = 0.0 if settled else self._c_c * (2.0 - self._c_c)
        self._covariance = (
            (1.0 - self._c_1 - self._c_mu + self._c_1 * missing) * self._covariance
            + self._c_1 * np.outer(self._path, self._path)
            + self._c_mu * (best.T * self._weights) @ best
        )
        self._sigma *= math.exp(self._c_sigma / self._damping * (length / self._normal_length - 1.0))
        variances, self._axes = np.linalg.eigh(self._covariance)
        self._lengths = np.sqrt(np.maximum(variances, 1e-20))
