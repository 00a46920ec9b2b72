"""Pose and velocity of the three-link robot's base, its central link, in ROS's axes."""

from __future__ import annotations

import math

from crawler_core.types import BaseState, Vector
from crawler_models.three_link.equations.closed_chain import Chain, Planar
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.plant.tick import Instant


def base_state(robot: ThreeLink, now: Instant) -> BaseState:
    """Return the state of the central link's centre."""
    c = now.chain
    centre = now.x1 + base_from_foot_1(robot, c)
    moving = now.v1 - 1j * robot.l1 * (c.theta1 - now.dq[0]) * c.e1 + 0.5j * robot.l0 * c.theta1 * c.e0
    half = 0.5 * math.atan2(c.e0.imag, c.e0.real)
    return BaseState(
        position=to_world(centre),
        quaternion=(math.cos(half), 0.0, math.sin(half), 0.0),
        linear=to_world(moving),
        angular=(0.0, c.theta1, 0.0),
    )


def base_from_foot_1(robot: ThreeLink, c: Chain) -> Planar:
    """Return the place of the central link's centre seen from foot 1 (m), in the paper's axes."""
    return 0.5 * robot.l0 * c.e0 - robot.l1 * c.e1


def to_world(planar: Planar) -> Vector:
    """Return a vector of the paper's axes in ROS's."""
    return (0.0 - planar.real, 0.0, planar.imag)  # 0 - x: no negative zero
