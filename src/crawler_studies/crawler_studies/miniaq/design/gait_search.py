"""The order in which gaits are tried: all over the space, then by evolution from the best so far."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import qmc

from crawler_core.types import FloatArray
from crawler_studies.design.evolution_strategy import EvolutionStrategy
from crawler_studies.miniaq.design.evaluated_gait import EvaluatedGait
from crawler_studies.miniaq.design.space import GaitSpace

Score = Callable[[EvaluatedGait], float]

# rounds of a climb: share of the budget that is left, first spread in the unit cube, and whether the gait stays
# symmetric. The first two begin at the best gaits that lie apart, the others at the best so far
ROUNDS = ((0.35, 0.15, True), (0.35, 0.15, True), (1.0, 0.03, False), (1.0, 0.03, False))
MIN_START_DISTANCE = 0.2  # of the unit cube
MIN_SPREAD = 2e-3  # of the unit cube, that ends a round: finer steps change no number that people read
MAX_STALLED_GENERATIONS = 20  # without a better gait, that end a round too


@dataclass
class GaitSearch:
    """A search that keeps every evaluated gait for the climbs that follow."""

    space: GaitSpace
    evaluate: Callable[[FloatArray], EvaluatedGait]
    stopped: Callable[[], bool]
    random: np.random.Generator
    evaluated: list[tuple[FloatArray, EvaluatedGait]] = field(default_factory=list)

    def explore(self, start: FloatArray, count: int, seed: int) -> None:
        """Evaluate the first gait, and some from all over the space."""
        self._add(start)
        if len(start):
            places = qmc.Sobol(len(start), rng=seed).random_base2(max(1, math.ceil(math.log2(max(count, 2)))))
            for x in places[: count - 1]:
                if self.stopped():
                    return
                self._add(self.space.symmetric(x))

    def climb(self, score: Score, budget: int) -> bool:
        """Evolve towards a larger `score`; return True where that converged within the budget."""
        if not self.space.names:
            return True
        end = len(self.evaluated) + budget
        starts: list[FloatArray] = []
        converged = False
        for k, (share, spread, is_symmetric) in enumerate(ROUNDS):
            left = end - len(self.evaluated)
            if left < self.population or self.stopped():
                return converged
            start = self._start(score, starts if k < 2 else [])
            starts.append(start)
            converged = self._round(score, start, spread, is_symmetric, round(share * left))
        return converged

    @property
    def population(self) -> int:
        """Gaits in a generation, as is usual for evolution strategies."""
        return 4 + int(3.0 * math.log(len(self.space.names)))

    def _round(self, score: Score, start: FloatArray, spread: float, is_symmetric: bool, budget: int) -> bool:
        place = self.space.symmetric if is_symmetric else np.asarray
        evolution = EvolutionStrategy(start, spread, self.population, self.random)
        best, since = -math.inf, 0
        for _ in range(budget // self.population):
            merits = [score(self._add(place(x))) for x in evolution.ask()]
            evolution.tell(np.array(merits))
            since = 0 if max(merits) > best else since + 1
            best = max(best, *merits)
            if evolution.spread < MIN_SPREAD or since >= MAX_STALLED_GENERATIONS:
                return True
            if self.stopped():
                return False
        return False

    def _start(self, score: Score, others: list[FloatArray]) -> FloatArray:
        ranked = sorted(self.evaluated, key=lambda each: -score(each[1]))
        distant = (x for x, _ in ranked if all(self.space.distance(x, other) > MIN_START_DISTANCE for other in others))
        return next(distant, ranked[0][0])

    def _add(self, x: FloatArray) -> EvaluatedGait:
        self.evaluated.append((x, self.evaluate(x)))
        return self.evaluated[-1][1]
