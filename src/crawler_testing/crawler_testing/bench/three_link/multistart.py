"""What gradients from many starts find, evaluation by evaluation: what the paper gave up for Bayesian tuning."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from crawler_core.types import FloatArray

STEP = 1e-4  # of a variable's range, for finite differences
FLAT = 1e-5  # m, where a search is content


class Spent(Exception):
    """The budget of evaluations is used up."""


def multistart(objective: Callable[[FloatArray], float], size: int, seed: int, budget: int) -> FloatArray:
    """The values of `budget` evaluations, maximised in the unit cube by SQP from one random start after the other.

    Each evaluation counts, those of finite differences too. `objective` is NaN where a gait is not valid; there the
    search sees no step at all.
    """
    random = np.random.default_rng([seed, 3])
    values: list[float] = []

    def loss(unit: FloatArray) -> float:
        if len(values) == budget:
            raise Spent
        values.append(objective(unit))
        return -float(np.nan_to_num(values[-1]))

    try:
        while True:
            options = {"eps": STEP, "ftol": FLAT}
            minimize(loss, random.random(size), method="SLSQP", bounds=[(0.0, 1.0)] * size, options=options)
    except Spent:
        return np.array(values)
