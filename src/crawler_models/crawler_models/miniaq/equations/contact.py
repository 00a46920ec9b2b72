"""Foot and ground: the force of Hunt and Crossley (15) and the pseudo-Coulomb friction (16), for any arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from crawler_core.types import FloatArray
from crawler_models.miniaq.equations.quadruped import Quadruped


def step(x: Any, x_1: float, y_1: float, x_2: float, y_2: float) -> FloatArray:
    """STEP: from y_1 up to x_1 to y_2 from x_2 on, by a cubic without kinks."""
    part = np.clip((np.asarray(x, dtype=float) - x_1) / (x_2 - x_1), 0.0, 1.0)
    return y_1 + (y_2 - y_1) * part**2 * (3.0 - 2.0 * part)


def normal_force(robot: Quadruped, depth: Any, speed: Any) -> FloatArray:
    """(15): F_N (N) of a foot `depth` (m) in the ground that moves up at `speed` (m/s), the paper's V_p."""
    depth = np.asarray(depth, dtype=float)
    damping = step(depth, 0.0, 0.0, robot.d, robot.c_max)
    force = np.where(depth > 0.0, robot.K * np.maximum(depth, 0.0) ** robot.e - damping * speed, 0.0)
    return force if robot.pulls else np.maximum(force, 0.0)


def friction_coefficient(robot: Quadruped, speed: Any) -> FloatArray:
    """(16) without its last "+,": mu of a foot that slides at `speed` (m/s); against it, so negative."""
    mu_s, mu_d, V_s, V_d = robot.mu_s, robot.mu_d, robot.V_s, robot.V_d
    backward = step(speed, -V_d, mu_d, -V_s, mu_s)
    sticking = step(speed, -V_s, mu_s, V_s, -mu_s)
    return backward + sticking + step(speed, V_s, -mu_s, V_d, -mu_d)


def friction_per_speed(robot: Quadruped, speed: Any) -> FloatArray:
    """mu / V of (17), in s/m, with its limit -1.5 mu_s / V_s where the foot rests."""
    speed = np.asarray(speed, dtype=float)
    moves = speed > 1e-9 * robot.V_s
    quotient = friction_coefficient(robot, speed) / np.where(moves, speed, 1.0)
    return np.where(moves, quotient, -1.5 * robot.mu_s / robot.V_s)
