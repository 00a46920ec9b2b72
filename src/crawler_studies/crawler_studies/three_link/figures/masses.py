"""Steps of the robot with other masses of its distal links. The paper does not say what becomes of their inertias."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crawler_models.three_link import ThreeLink
from crawler_models.three_link.fast import ShapeTable
from crawler_studies.three_link.figures.figure_data import gait

OMEGAS = (0.3, 1.0, 3.2, 4.5, 5.1, 6.5, 8.0, 16.0)  # rad/s; the paper does not list those of its Figs. 11 and 12


def steps_of_masses(
    robot: ThreeLink, distal: ArrayLike, asymmetry: ArrayLike, omegas: ArrayLike, *, inertias_follow: bool = False
) -> NDArray[np.float64]:
    """Step lengths (m), the first axis over ``omegas``, the others over (m1 + m2) / 2 m0 and m1 / m2.

    The lengths stay. The distal links' inertias stay too, as of weights in the middles, or follow their masses.
    """
    distal, asymmetry = np.broadcast_arrays(distal, asymmetry)
    m2 = 2.0 * distal * robot.m0 / (1.0 + asymmetry)
    m1 = asymmetry * m2
    robots = []
    for a, b in zip(m1.ravel().tolist(), m2.ravel().tolist(), strict=True):
        follow = {"J1": robot.J1 * a / robot.m1, "J2": robot.J2 * b / robot.m2} if inertias_follow else {}
        robots.append(replace(robot, m1=a, m2=b, **follow))
    table = ShapeTable(robots, [gait(1.0)] * len(robots))
    frequencies = np.asarray(omegas, dtype=float)
    which, omega = np.meshgrid(np.arange(len(robots)), frequencies, indexing="ij")
    found = table.crawl(which, omega, robot.mu1, robot.mu2, robot.g).step_length
    return found.T.reshape(len(frequencies), *distal.shape)
