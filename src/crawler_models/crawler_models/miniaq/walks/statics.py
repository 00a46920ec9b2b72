"""Standing still: this friction holds nothing at rest, so the body lies on its feet where its energy is least."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from crawler_core.types import FloatArray
from crawler_models.miniaq.equations.dynamics import legs
from crawler_models.miniaq.equations.quadruped import Quadruped

MAX_NEWTON_STEPS = 100  # of Newton's method, at most
RESIDUAL_TOLERANCE = (
    1e-11  # of the weight, and of it times the body's length: residual force and torque; rounding is 1e-12
)
MAX_TILT_RAD = math.radians(60.0)  # rad of roll or pitch: beyond, it has fallen
TIPS_OVER = "With these cranks the robot tips over: its weight is not above its feet."


def standing(robot: Quadruped, crank: ArrayLike) -> FloatArray:
    """The twelve states of the robot at rest with its cranks held at `crank` (rad), at x = y = yaw = 0.

    Raises ValueError where it would tip over, or where a leg's chain does not close.
    """
    feet = legs(robot, crank, np.zeros(4))[0]
    if not np.isfinite(feet).all():
        raise ValueError("The chain of a leg does not close with these cranks; check robot.*_length and robot.pivot_*.")
    weight = robot.m * robot.g
    if weight == 0.0:
        raise ValueError("Without weight the robot cannot stand; raise robot.mass or robot.gravity.")
    unit = np.array([1.0, 1.0 / robot.length, 1.0 / robot.length])  # of a force or torque, by the weight
    at = _rigid(robot, feet)
    stiff, energy, slope, bend = 0.0, *_energy(robot, feet, at)
    for _ in range(MAX_NEWTON_STEPS):
        if np.abs(slope * unit).max() < RESIDUAL_TOLERANCE * weight:
            return np.array([0.0, 0.0, at[0], at[1], at[2], *[0.0] * 7])
        # a ridge keeps a step short that would lower no energy: a foot that is about to bear is not in the curvature
        to = at - np.linalg.solve(bend + stiff * np.diag(unit**-2), slope)
        found = _energy(robot, feet, to)
        if found[0] <= energy + 1e-15 * weight * robot.length:
            at, (energy, slope, bend), stiff = to, found, 0.1 * stiff
        else:
            stiff = max(10.0 * stiff, 1e-3 * bend[0, 0])
    raise ValueError(TIPS_OVER)


def _rigid(robot: Quadruped, feet: FloatArray) -> FloatArray:
    """z, roll and pitch on the three feet that bear the weight, each as deep in the ground as its share asks for."""
    best, found = -1e-9, None
    for three in combinations(range(4), 3):
        corners = feet[list(three)]
        up = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        up = up / np.linalg.norm(up) * (1.0 if up[2] > 0.0 else -1.0)
        height = -up @ corners[0]  # of the centre of mass
        lowest = (feet @ up + height).min()
        # shares of the weight: the centre of mass is above their mean
        shares = np.linalg.solve(np.vstack([corners.T, np.ones(3)])[[0, 1, 3]], np.array([*(-height * up[:2]), 1.0]))
        if lowest > -1e-9 * robot.length and shares.min() > best:
            best = shares.min()
            sinks = float(
                shares.clip(min=0.0) @ (shares.clip(min=0.0) * robot.m * robot.g / robot.K) ** (1.0 / robot.e)
            )
            found = np.array([height - sinks, math.atan2(up[1], up[2]), -math.asin(up[0])])
    if found is None or not (np.abs(found[1:]) < MAX_TILT_RAD).all():
        raise ValueError(TIPS_OVER)
    return found


def _energy(robot: Quadruped, feet: FloatArray, at: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """The energy of weight and indentation (J), and its first and second derivatives by z, roll and pitch."""
    z, phi, theta = at
    (s_f, s_t), (c_f, c_t) = np.sin([phi, theta]), np.cos([phi, theta])
    up = feet @ np.array([-s_t, c_t * s_f, c_t * c_f])
    by = np.stack(
        [np.ones(4), feet @ np.array([0.0, c_t * c_f, -c_t * s_f]), feet @ np.array([-c_t, -s_t * s_f, -s_t * c_f])]
    )
    depth = np.maximum(-z - up, 0.0)
    force, stiffness = robot.K * depth**robot.e, robot.K * robot.e * depth ** (robot.e - 1.0)
    twice = np.zeros((3, 3, 4))
    twice[1, 1] = feet @ np.array([0.0, -c_t * s_f, -c_t * c_f])
    twice[1, 2] = twice[2, 1] = feet @ np.array([0.0, -s_t * c_f, s_t * s_f])
    twice[2, 2] = -up
    weight = robot.m * robot.g
    slope = np.array([weight, 0.0, 0.0]) - by @ force
    bend = (by * stiffness) @ by.T - twice @ force
    return float(weight * z + (force * depth).sum() / (robot.e + 1.0)), slope, bend
