"""Bayesian optimisation, ask and tell.

The next point depends on the seed and on the evaluations so far, and on nothing else: with the same evaluations in the
same order, an optimiser continues where another one was stopped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import qmc
from threadpoolctl import ThreadpoolController

from crawler_core.types import FloatArray
from crawler_studies.study.study_case import Point
from crawler_studies.tuning.optimiser.acquisition import Score, log_expected_improvement, most_promising
from crawler_studies.tuning.optimiser.space import TuningSpace
from crawler_studies.tuning.optimiser.surrogate import Surrogate, fit, fit_valid, squash
from crawler_studies.tuning.optimiser.trust_region import TrustRegion

CANDIDATES = 512  # places that are scored before the best of them are refined
MIN_VALID = 3  # values that a process can be fitted to
SOBOL_POINTS = 1024  # of the even spread, for a space in which nothing is valid
GLOBAL_PERIOD = 4  # points, of which one is chosen in the whole space
REGION_EVALUATIONS = 20  # that a region's surrogate is fitted to: beyond a kink the landscape is another one
RECENT, MAX_RECENT_INVALID = 8, 2  # evaluations, and how many of them may be invalid before caution rises
SAME_PLACE_DISTANCE = 5e-4
SAME_PLACE_PENALTY = 50.0  # on the score of a place that is evaluated already
HILL_DISTANCE = 0.15  # of the ranges, of another hill from one that was climbed


class Optimiser:
    """Maximises a function of the points of `space`. A value of NaN is an invalid point.

    It begins with a few points that are spread evenly. Then three points of four are chosen in the region of a good
    one, and one in the whole space. Where a hill is climbed, the best point elsewhere gets the next region. Landscapes
    of contact have several hills, with kinks that no surrogate predicts from afar.
    """

    def __init__(self, space: TuningSpace, seed: int) -> None:
        self.space = space
        self._seed = seed
        self._units: list[FloatArray] = []
        self._values: list[float] = []
        self._region: TrustRegion | None = None
        self._climbed: list[FloatArray] = []
        self._first = 2 * space.size + 2  # points that are spread evenly before the first surrogate
        self._sobol_points = qmc.Sobol(space.size, rng=np.random.default_rng([seed, 0])).random(SOBOL_POINTS)

    @property
    def best(self) -> int | None:
        """Number of the best evaluation, from 0; None where none was valid."""
        valid = [i for i, value in enumerate(self._values) if not math.isnan(value)]
        return max(valid, key=lambda i: self._values[i]) if valid else None

    @property
    def best_value(self) -> float:
        """NaN where nothing was valid."""
        return math.nan if self.best is None else self._values[self.best]

    def tell(self, point: Point, value: float) -> None:
        """Learn the value of a point."""
        number, before = len(self._values), self.best
        self._units.append(self.space.unit(point))
        self._values.append(value)
        if number + 1 < self._first or self.best is None:
            return
        region = self._region
        if region is None:
            self._region = self._next_region()
            return
        if self._is_inside(number, region):
            region = region.after(number, value, self._values[region.centre], float(np.nanstd(self._values)))
        elif self.best != before:
            region = TrustRegion(number)
        if region.exhausted:
            self._climbed.append(self._units[region.centre])
            self._region = self._next_region()
        else:
            self._region = region

    def ask(self) -> dict[str, float]:
        """Return the point to evaluate next."""
        n = len(self._values)
        if n < self._first or np.isfinite(self._values).sum() < MIN_VALID:
            return self.space.point(self._sobol_points[n % SOBOL_POINTS])
        rng = np.random.default_rng([self._seed, 1, n])
        # the matrices are small: threads would wait for each other, and round differently on another machine
        with ThreadpoolController().limit(limits=1):
            if self._region is None or n % GLOBAL_PERIOD == 0:
                place = self._ask_globally(self._fit_surrogate(range(n)), rng)
            else:
                place = self._ask_in_region(self._region, rng)
        return self.space.point(place)

    def _is_inside(self, number: int, region: TrustRegion) -> bool:
        return bool(self._distance(self._units[number], self._units[region.centre]) <= region.size / 2.0 + 1e-3)

    def _distance(self, one: FloatArray, other: FloatArray) -> float:
        """Return the largest difference of a variable, the shorter way round for a periodic one."""
        difference = np.abs(one - other)
        periodic = self.space.periodic
        difference[periodic] = np.minimum(difference[periodic], 1.0 - difference[periodic])
        return float(difference.max())

    def _next_region(self) -> TrustRegion | None:
        """Return a region around the best point that is not on a climbed hill; None where all are."""
        order = sorted(
            (i for i, value in enumerate(self._values) if not math.isnan(value)), key=lambda i: -self._values[i]
        )
        for i in order:
            if self._is_elsewhere(i):
                return TrustRegion(i)
        return None

    def _is_elsewhere(self, number: int) -> bool:
        """Return True for an evaluation that is not near the top of a climbed hill."""
        return all(self._distance(self._units[number], top) > HILL_DISTANCE for top in self._climbed)

    def _fit_surrogate(self, numbers: Sequence[int]) -> Surrogate:
        """Fit a surrogate to the values of these evaluations, and to the validity of all."""
        units, values = np.array(self._units), np.array(self._values)
        valid = ~np.isnan(values)
        features = self.space.features(units)
        known = np.array([i for i in numbers if valid[i]])
        process = fit(features[known], self._squashed()[known], seed=len(values))
        return Surrogate(process, None if valid.all() else fit_valid(features, valid, wide=self._excess_invalid > 0))

    @property
    def _excess_invalid(self) -> int:
        """Number of recent invalid evaluations beyond the tolerated ones.

        Boldness pays, since the best gaits are often near an edge of validity, but not again and again.
        """
        return max(0, int(np.isnan(self._values[-RECENT:]).sum()) - MAX_RECENT_INVALID)

    def _squashed(self) -> FloatArray:
        """Return the values for the surrogate."""
        values = np.array(self._values)
        values[~np.isnan(values)] = squash(values[~np.isnan(values)])
        return values

    def _score(self, surrogate: Surrogate, number: int) -> Score:
        """Return the score of a place: the log of its expected improvement on evaluation `number`, less a caution."""
        level = float(self._squashed()[number])
        caution = 1.0 + self._excess_invalid
        evaluated = self.space.features(np.array(self._units))

        def score(units: FloatArray) -> FloatArray:
            features = self.space.features(units)
            mean, deviation = surrogate.predict(features)
            promise = log_expected_improvement(mean, deviation, level) + caution * surrogate.log_valid(features)
            known = cdist(features, evaluated).min(axis=1) < SAME_PLACE_DISTANCE
            return np.where(known, promise - SAME_PLACE_PENALTY, promise)

        return score

    def _ask_globally(self, surrogate: Surrogate, rng: np.random.Generator) -> FloatArray:
        assert self.best is not None
        starts = rng.random((CANDIDATES, self.space.size))
        width = np.full(self.space.size, 0.1)
        return most_promising(self._score(surrogate, self.best), starts, self.space.inside, width, rng)

    def _ask_in_region(self, region: TrustRegion, rng: np.random.Generator) -> FloatArray:
        centre = self._units[region.centre]
        nearest = sorted(range(len(self._units)), key=lambda i: self._distance(self._units[i], centre))
        valid = [i for i in nearest if not math.isnan(self._values[i])]
        surrogate = self._fit_surrogate(valid[:REGION_EVALUATIONS])
        half = np.full(self.space.size, region.size / 2.0)

        def inside(units: FloatArray) -> FloatArray:
            return self.space.inside(np.clip(units, centre - half, centre + half))

        starts = inside(centre + half * rng.uniform(-1.0, 1.0, (CANDIDATES, self.space.size)))
        return most_promising(self._score(surrogate, region.centre), starts, inside, half / 3.0, rng)
