"""The loads under a chain at rest, and the torques that its joints take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from crawler_models.snake.ground.posture import Posture
from crawler_models.snake.snake import Snake

Array = NDArray[np.float64]

_BALANCE_WEIGHT = 1e4  # weight of the balance of the whole beside that of the joints: exact to its inverse, squared


def loads(snake: Snake, posture: Posture) -> Array:
    """Normal forces (N) at P_0 to P_N, 0 where a point does not touch.

    Two points carry what the balance says. More than two on one line would be undetermined with rigid joints. Equal
    servos, however stiff, share the load so that the sum of their squared torques is least: their elastic energy.
    Friction's torques are left out of this choice.
    """
    found = np.zeros(len(posture.x))
    where = np.flatnonzero(posture.touching)
    x, middles, joints = posture.x[where], _middles(posture), posture.x[1:-1]
    centre = float(middles.mean())
    if len(where) == 1:
        found[where] = snake.weight
        return found
    if len(where) == 2:
        share = min(max((centre - x[0]) / (x[1] - x[0]), 0.0), 1.0)
        found[where] = snake.weight * np.array([1.0 - share, share])
        return found
    # in units of the weight and the link: moments about each joint of what is ahead of it, then the whole's balance
    number = np.arange(1, snake.links)[:, np.newaxis]
    arms = np.where(where > number, x - joints[:, np.newaxis], 0.0)
    pulls = np.where(np.arange(snake.links) >= number, middles - joints[:, np.newaxis], 0.0).sum(axis=1) / snake.links
    rows = np.vstack(
        [arms / snake.length, _BALANCE_WEIGHT * np.ones(len(where)), _BALANCE_WEIGHT * (x - centre) / snake.length]
    )
    found[where] = snake.weight * nnls(rows, np.concatenate([pulls / snake.length, [_BALANCE_WEIGHT, 0.0]]))[0]
    return found


def torques(snake: Snake, posture: Posture, normal: Array, friction: Array) -> Array:
    """Return the servo torques (N·m), positive as the joint angles, for forces on the points in N."""
    x, z = posture.x, posture.z
    # counter-clockwise moments about P_j of what acts ahead of it: on points j + 1 to N, and on links j + 1 to N
    joint, point = np.arange(1, snake.links)[:, np.newaxis], np.arange(snake.links + 1)
    held = np.where(point > joint, (x - x[joint]) * normal - (z - z[joint]) * friction, 0.0).sum(axis=1)
    pulled = np.where(point[:-1] >= joint, _middles(posture) - x[joint], 0.0).sum(axis=1)
    return np.asarray(pulled * snake.weight / snake.links - held)


def _middles(posture: Posture) -> Array:
    """Return the centres of the links along x."""
    return 0.5 * (posture.x[1:] + posture.x[:-1])
