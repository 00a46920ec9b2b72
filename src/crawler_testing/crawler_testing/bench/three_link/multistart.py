"""Gradient search from many starts, which the paper gave up for Bayesian tuning, evaluation by evaluation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from crawler_core.types import FloatArray

DIFFERENCE_STEP = 1e-4  # of a variable's range
TOLERANCE_M = 1e-5  # at which a search ends


class BudgetUsed(Exception):
    """No evaluation is left."""


def multistart(objective: Callable[[FloatArray], float], size: int, seed: int, budget: int) -> FloatArray:
    """Maximise in the unit cube by SQP from many random starts; return the values of `budget` evaluations.

    Evaluations for finite differences count, too. `objective` is NaN for an invalid gait, which counts as no step.
    """
    random = np.random.default_rng([seed, 3])
    values: list[float] = []

    def loss(unit: FloatArray) -> float:
        if len(values) == budget:
            raise BudgetUsed
        values.append(objective(unit))
        return -float(np.nan_to_num(values[-1]))

    try:
        while True:
            options = {"eps": DIFFERENCE_STEP, "ftol": TOLERANCE_M}
            minimize(loss, random.random(size), method="SLSQP", bounds=[(0.0, 1.0)] * size, options=options)
    except BudgetUsed:
        return np.array(values)
