"""The best time scaling (8): a global search by differential evolution over whole generations at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import differential_evolution

from crawler_models.three_link import ThreeLink
from crawler_models.three_link.fast import ShapeTable
from crawler_studies.three_link.figures.figure_data import band, gait

Array = NDArray[np.float64]

STRONGEST = 0.95  # alpha: the pace must not come to a halt
FRICTIONS = 9  # of the band, while searching
FAILED = 1.0  # m, the objective of a gait that cannot be


@dataclass(frozen=True)
class Scaled:
    """A time-scaled gait and its objective."""

    psi: float  # rad
    alpha: float
    upsilon: float  # rad
    value: float  # m, S or S_mu


def best_scaling(
    robot: ThreeLink, omega: float, *, robust: bool, psi: float | None = None, near: Scaled | None = None
) -> Scaled:
    """Maximise S, or S_mu if ``robust``, over (psi, alpha, Upsilon), or over the last two at a given ``psi``.

    ``near`` is a good gait of a neighbouring frequency to start from.
    """
    bounds = [(0.0, STRONGEST), (-np.pi, np.pi)] + ([] if psi is not None else [(0.0, np.pi)])
    objective = _objective(robot, omega, robust, psi)
    start = None if near is None else [near.alpha, near.upsilon] + ([] if psi is not None else [near.psi])
    found = differential_evolution(
        objective,
        bounds,
        x0=start,
        popsize=16,
        maxiter=45,
        tol=1e-6,
        mutation=(0.4, 0.9),
        rng=1,
        polish=False,
        vectorized=True,
        updating="deferred",
    )
    return Scaled(float(found.x[2]) if psi is None else psi, float(found.x[0]), float(found.x[1]), -float(found.fun))


def _objective(robot: ThreeLink, omega: float, robust: bool, psi: float | None) -> Callable[[Array], Array]:
    def objective(x: Array) -> Array:
        phases = np.full(x.shape[1], psi) if psi is not None else x[2]
        gaits = [
            gait(1.0, psi=float(p), alpha=float(a), upsilon=float(u))
            for p, a, u in zip(phases, x[0], x[1], strict=True)
        ]
        table = ShapeTable(robot, gaits)
        which = np.arange(len(gaits))
        if robust:
            values = band(robot, table, which, omega, samples=FRICTIONS).robust
        else:
            values = table.crawl(which, omega, robot.mu1, robot.mu2, robot.g).step_length
        return np.where(np.isfinite(values), -values, FAILED)

    return objective
