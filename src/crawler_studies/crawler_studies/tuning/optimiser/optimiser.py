"""Bayesian optimisation, ask and tell: which point to evaluate next.

What is asked depends on the seed and on what was told, and on nothing else: told the same evaluations again, in order,
an optimiser goes on where another one was stopped.
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

CANDIDATES = 512  # places that are scored before the best of them are looked at closely
FEWEST = 3  # valid values that a process can be fitted to
EVENLY = 1024  # points of the even spread, for a space in which nothing is valid
GLOBALLY = 4  # every how many questions the whole space is looked at
NEAREST = 20  # evaluations that a region's surrogate is fitted to: beyond a kink the landscape is another one
LATELY, TOLERATED = 8, 2  # of the latest evaluations, so many may be not valid without making it cautious
SAME = 5e-4  # distance of places that are hardly two
ALREADY = 50.0  # how much less one promises that is known
APART = 0.15  # of the ranges: another hill is at least so far from one that was climbed


class Optimiser:
    """Maximises a function of the points of `space`. A value of NaN is an invalid point.

    After a few points that are spread evenly, three questions of four look closely around a good point and one looks
    everywhere. Where a hill is climbed, the best point elsewhere is the next to look around: landscapes of contact
    have several hills, with kinks that no surrogate foresees from afar.
    """

    def __init__(self, space: TuningSpace, seed: int) -> None:
        self.space = space
        self._seed = seed
        self._units: list[FloatArray] = []
        self._values: list[float] = []
        self._region: TrustRegion | None = None
        self._climbed: list[FloatArray] = []
        self._first = 2 * space.size + 2  # points that are spread evenly before anything is inferred
        self._evenly = qmc.Sobol(space.size, rng=np.random.default_rng([seed, 0])).random(EVENLY)

    @property
    def best(self) -> int | None:
        """The number of the best evaluation, from 0; None where none was valid."""
        valid = [i for i, value in enumerate(self._values) if not math.isnan(value)]
        return max(valid, key=lambda i: self._values[i]) if valid else None

    @property
    def best_value(self) -> float:
        """NaN where nothing was valid."""
        return math.nan if self.best is None else self._values[self.best]

    def tell(self, point: Point, value: float) -> None:
        """Learn what a point came to."""
        number, before = len(self._values), self.best
        self._units.append(self.space.unit(point))
        self._values.append(value)
        if number + 1 < self._first or self.best is None:
            return
        region = self._region
        if region is None:
            self._region = self._next_region()
            return
        if self._inside(number, region):
            region = region.after(number, value, self._values[region.centre], float(np.nanstd(self._values)))
        elif self.best != before:
            region = TrustRegion(number)
        if region.exhausted:
            self._climbed.append(self._units[region.centre])
            self._region = self._next_region()
        else:
            self._region = region

    def ask(self) -> dict[str, float]:
        """The point to evaluate next."""
        n = len(self._values)
        if n < self._first or np.isfinite(self._values).sum() < FEWEST:
            return self.space.point(self._evenly[n % EVENLY])
        rng = np.random.default_rng([self._seed, 1, n])
        # the matrices are small: threads would wait for each other, and round differently on another machine
        with ThreadpoolController().limit(limits=1):
            if self._region is None or n % GLOBALLY == 0:
                place = self._everywhere(self._surrogate(range(n)), rng)
            else:
                place = self._around(self._region, rng)
        return self.space.point(place)

    def _inside(self, number: int, region: TrustRegion) -> bool:
        return bool(self._distance(self._units[number], self._units[region.centre]) <= region.size / 2.0 + 1e-3)

    def _distance(self, one: FloatArray, other: FloatArray) -> float:
        """The largest difference of a variable, the shorter way round where it turns."""
        apart = np.abs(one - other)
        turning = self.space.turning
        apart[turning] = np.minimum(apart[turning], 1.0 - apart[turning])
        return float(apart.max())

    def _next_region(self) -> TrustRegion | None:
        """Around the best point that is not on a climbed hill; None where all are."""
        order = sorted(
            (i for i, value in enumerate(self._values) if not math.isnan(value)), key=lambda i: -self._values[i]
        )
        for i in order:
            if self._elsewhere(i):
                return TrustRegion(i)
        return None

    def _elsewhere(self, number: int) -> bool:
        """Whether an evaluation is not near the top of a climbed hill."""
        return all(self._distance(self._units[number], top) > APART for top in self._climbed)

    def _surrogate(self, numbers: Sequence[int]) -> Surrogate:
        """Fitted to the values of these evaluations, and to the validity of all."""
        units, values = np.array(self._units), np.array(self._values)
        valid = ~np.isnan(values)
        features = self.space.features(units)
        known = np.array([i for i in numbers if valid[i]])
        process = fit(features[known], self._squashed()[known], seed=len(values))
        return Surrogate(process, None if valid.all() else fit_valid(features, valid, wide=self._lured > 0))

    @property
    def _lured(self) -> int:
        """How often of late, beyond what is tolerated, a hill that rises towards an edge lured over it.

        Boldness pays, since the best gaits are often near an edge; but not again and again.
        """
        return max(0, int(np.isnan(self._values[-LATELY:]).sum()) - TOLERATED)

    def _squashed(self) -> FloatArray:
        """The values as the surrogate sees them."""
        values = np.array(self._values)
        values[~np.isnan(values)] = squash(values[~np.isnan(values)])
        return values

    def _score(self, surrogate: Surrogate, number: int) -> Score:
        """What a place promises over evaluation `number`."""
        level = float(self._squashed()[number])
        caution = 1.0 + self._lured

        told = self.space.features(np.array(self._units))

        def score(units: FloatArray) -> FloatArray:
            features = self.space.features(units)
            mean, deviation = surrogate.predict(features)
            promise = log_expected_improvement(mean, deviation, level) + caution * surrogate.log_valid(features)
            known = cdist(features, told).min(axis=1) < SAME
            return np.where(known, promise - ALREADY, promise)

        return score

    def _everywhere(self, surrogate: Surrogate, rng: np.random.Generator) -> FloatArray:
        assert self.best is not None
        starts = rng.random((CANDIDATES, self.space.size))
        width = np.full(self.space.size, 0.1)
        return most_promising(self._score(surrogate, self.best), starts, self.space.inside, width, rng)

    def _around(self, region: TrustRegion, rng: np.random.Generator) -> FloatArray:
        centre = self._units[region.centre]
        nearest = sorted(range(len(self._units)), key=lambda i: self._distance(self._units[i], centre))
        valid = [i for i in nearest if not math.isnan(self._values[i])]
        surrogate = self._surrogate(valid[:NEAREST])
        half = np.full(self.space.size, region.size / 2.0)

        def inside(units: FloatArray) -> FloatArray:
            return self.space.inside(np.clip(units, centre - half, centre + half))

        starts = inside(centre + half * rng.uniform(-1.0, 1.0, (CANDIDATES, self.space.size)))
        return most_promising(self._score(surrogate, region.centre), starts, inside, half / 3.0, rng)
