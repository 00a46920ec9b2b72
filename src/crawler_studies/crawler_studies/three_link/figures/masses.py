"""Steps of the robot with other masses of its distal links; lengths and inertias stay, as in the paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crawler_models.three_link import ThreeLink
from crawler_models.three_link.fast import ShapeTable
from crawler_studies.three_link.figures.lab import gait


def steps_of_masses(
    robot: ThreeLink, distal: ArrayLike, asymmetry: ArrayLike, omegas: ArrayLike
) -> NDArray[np.float64]:
    """Step lengths (m), the first axis over ``omegas``, the others over (m1 + m2) / 2 m0 and m1 / m2."""
    distal, asymmetry = np.broadcast_arrays(distal, asymmetry)
    m2 = 2.0 * distal * robot.m0 / (1.0 + asymmetry)
    m1 = asymmetry * m2
    robots = [replace(robot, m1=float(a), m2=float(b)) for a, b in zip(m1.ravel(), m2.ravel(), strict=True)]
    table = ShapeTable(robots, [gait(1.0)] * len(robots))
    frequencies = np.asarray(omegas, dtype=float)
    which, omega = np.meshgrid(np.arange(len(robots)), frequencies, indexing="ij")
    found = table.crawl(which, omega, robot.mu1, robot.mu2, robot.g).step_length
    return found.T.reshape(len(frequencies), *distal.shape)
