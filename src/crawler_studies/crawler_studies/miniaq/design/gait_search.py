"""Where the next gaits are looked for: all over the space, then by evolution from the best of what is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import qmc

from crawler_core.types import FloatArray
from crawler_studies.design.evolution_strategy import Evolution
from crawler_studies.miniaq.design.evaluated_gait import EvaluatedGait
from crawler_studies.miniaq.design.space import Space

Worth = Callable[[EvaluatedGait], float]

# the rounds of a climb: which share of what is left of its budget, the spread in the unit cube that it begins with, and
# whether the sides stay alike. The first two begin at the best gaits that lie apart, the others at the best so far
ROUNDS = ((0.35, 0.15, True), (0.35, 0.15, True), (1.0, 0.03, False), (1.0, 0.03, False))
APART = 0.2  # of the unit cube, between two starts
SETTLED = 2e-3  # of the unit cube, the spread that ends a round: finer steps change no number that people read
STUCK = 20  # generations without a better gait, which end it too


@dataclass
class GaitSearch:
    """Every gait that is evaluated is known to the climbs that follow."""

    space: Space
    evaluate_gait: Callable[[FloatArray], EvaluatedGait]
    stopped: Callable[[], bool]
    random: np.random.Generator
    known: list[tuple[FloatArray, EvaluatedGait]] = field(default_factory=list)

    def explore(self, start: FloatArray, count: int, seed: int) -> None:
        """The gait to begin with, and some from all over the space."""
        self._add(start)
        if len(start):
            places = qmc.Sobol(len(start), rng=seed).random_base2(max(1, math.ceil(math.log2(max(count, 2)))))
            for x in places[: count - 1]:
                if self.stopped():
                    return
                self._add(self.space.alike(x))

    def climb(self, worth: Worth, budget: int) -> bool:
        """Evolution towards more `worth`; whether it came to an end within the budget."""
        if not self.space.names:
            return True
        end = len(self.known) + budget
        starts: list[FloatArray] = []
        settled = False
        for k, (share, spread, alike) in enumerate(ROUNDS):
            left = end - len(self.known)
            if left < self.population or self.stopped():
                return settled
            start = self._start(worth, starts if k < 2 else [])
            starts.append(start)
            settled = self._round(worth, start, spread, alike, round(share * left))
        return settled

    @property
    def population(self) -> int:
        """Of a generation, as is usual for evolution strategies."""
        return 4 + int(3.0 * math.log(len(self.space.names)))

    def _round(self, worth: Worth, start: FloatArray, spread: float, alike: bool, budget: int) -> bool:
        place = self.space.alike if alike else np.asarray
        evolution = Evolution(start, spread, self.population, self.random)
        best, since = -math.inf, 0
        for _ in range(budget // self.population):
            merits = [worth(self._add(place(x))) for x in evolution.ask()]
            evolution.tell(np.array(merits))
            since = 0 if max(merits) > best else since + 1
            best = max(best, *merits)
            if evolution.spread < SETTLED or since >= STUCK:
                return True
            if self.stopped():
                return False
        return False

    def _start(self, worth: Worth, others: list[FloatArray]) -> FloatArray:
        ranked = sorted(self.known, key=lambda each: -worth(each[1]))
        apart = (x for x, _ in ranked if all(self.space.distance(x, other) > APART for other in others))
        return next(apart, ranked[0][0])

    def _add(self, x: FloatArray) -> EvaluatedGait:
        self.known.append((x, self.evaluate_gait(x)))
        return self.known[-1][1]
