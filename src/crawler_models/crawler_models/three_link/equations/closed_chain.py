"""The closed chain: everything the two joint angles fix while both feet stay on the ground.

Planar vectors are complex numbers (x + i y) in the paper's axes, relative to foot 1. Every function works on scalars
and arrays alike; a caller in a hurry passes ``exp=cmath.exp`` with plain floats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from crawler_models.three_link.equations.three_link import ThreeLink

Real = Any
"""A float, or an array of them."""
Planar = Any
"""A complex number, or an array of them: x + i y."""


class Chain(NamedTuple):
    """Posture, and the inertial sums that the equations of motion need. Accelerations are those seen from foot 1."""

    d: Real  # x2 - x1, m
    d1: Real  # d', m/s
    d2: Real  # d'', m/s^2
    theta1: Real  # theta', rad/s
    theta2: Real  # theta'', rad/s^2
    e0: Planar  # unit vectors along the links: e^{i theta},
    e1: Planar  # e^{i (theta - phi_1)},
    e2: Planar  # e^{i (theta + phi_2)}
    e0_2: Planar  # their second time derivatives
    e1_2: Planar
    e2_2: Planar
    C: Real  # sum m x'', N
    P: Real  # sum m (g + y''), N
    K: Real  # sum m y / d, kg
    Q: Real  # [sum m (x (y'' + g) - y x'') + sum J alpha''] / d, N

    @property
    def theta(self) -> Real:
        """Absolute angle of the central link, rad."""
        return np.arctan2(self.e0.imag, self.e0.real)


def closed_chain(robot: ThreeLink, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Chain:
    """The chain at joint angles ``q`` and their derivatives, each shaped (..., 2)."""
    q, dq, ddq = (np.asarray(value, dtype=float) for value in (q, dq, ddq))
    return chain(robot, q[..., 0], q[..., 1], dq[..., 0], dq[..., 1], ddq[..., 0], ddq[..., 1])


def chain(
    robot: ThreeLink,
    p1: Real,
    p2: Real,
    dp1: Real,
    dp2: Real,
    ddp1: Real,
    ddp2: Real,
    exp: Callable[[Any], Any] = np.exp,
) -> Chain:
    """Solve y_1 = y_2 = 0 and its derivatives for the central link's angle and the distance between the feet."""
    l0, l1, l2 = robot.l0, robot.l1, robot.l2
    m0, m1, m2 = robot.m0, robot.m1, robot.m2

    # Foot 2 seen from foot 1 is conj(Z) e^{i theta}; both feet are on the ground when that is real: theta = arg Z.
    u1 = exp(1j * p1)
    u2 = exp(-1j * p2)
    z = l0 - l1 * u1 - l2 * u2
    dz = 1j * (l2 * dp2 * u2 - l1 * dp1 * u1)
    ddz = l1 * (dp1 * dp1 - 1j * ddp1) * u1 + l2 * (dp2 * dp2 + 1j * ddp2) * u2
    d = abs(z)
    w = dz / z  # (log Z)' = d'/d + i theta'
    dw = ddz / z - w * w
    theta1 = w.imag
    theta2 = dw.imag

    e0 = z / d
    e1 = e0 * u1.conjugate()
    e2 = e0 * u2.conjugate()
    rate1 = theta1 - dp1
    rate2 = theta1 + dp2
    alpha1 = theta2 - ddp1
    alpha2 = theta2 + ddp2
    e0_2 = (1j * theta2 - theta1 * theta1) * e0
    e1_2 = (1j * alpha1 - rate1 * rate1) * e1
    e2_2 = (1j * alpha2 - rate2 * rate2) * e2

    # Centres of mass (the links' middles) and their accelerations.
    r1 = -0.5 * l1 * e1
    r0 = 0.5 * l0 * e0 - l1 * e1
    r2 = l0 * e0 - l1 * e1 - 0.5 * l2 * e2
    a1 = -0.5 * l1 * e1_2
    a0 = 0.5 * l0 * e0_2 - l1 * e1_2
    a2 = l0 * e0_2 - l1 * e1_2 - 0.5 * l2 * e2_2

    first_moment = m0 * r0 + m1 * r1 + m2 * r2
    force = m0 * a0 + m1 * a1 + m2 * a2
    turning = (
        m0 * (r0.conjugate() * a0).imag
        + m1 * (r1.conjugate() * a1).imag
        + m2 * (r2.conjugate() * a2).imag
        + robot.J0 * theta2
        + robot.J1 * alpha1
        + robot.J2 * alpha2
    )
    return Chain(
        d=d,
        d1=d * w.real,
        d2=d * (dw.real + w.real * w.real),
        theta1=theta1,
        theta2=theta2,
        e0=e0,
        e1=e1,
        e2=e2,
        e0_2=e0_2,
        e1_2=e1_2,
        e2_2=e2_2,
        C=force.real,
        P=robot.mass * robot.g + force.imag,
        K=first_moment.imag / d,
        Q=(turning + robot.g * first_moment.real) / d,
    )


class Pose(NamedTuple):
    """Points of the robot relative to foot 1, complex x + i y in the paper's axes, m."""

    foot_1: Planar
    joint_1: Planar
    joint_2: Planar
    foot_2: Planar
    centre_0: Planar
    centre_1: Planar
    centre_2: Planar


def pose(robot: ThreeLink, chain: Chain) -> Pose:
    """Feet, joints and the links' centres of mass."""
    joint_1 = -robot.l1 * chain.e1
    joint_2 = joint_1 + robot.l0 * chain.e0
    return Pose(
        foot_1=0.0 * chain.e0,
        joint_1=joint_1,
        joint_2=joint_2,
        foot_2=joint_2 - robot.l2 * chain.e2,
        centre_0=joint_1 + 0.5 * robot.l0 * chain.e0,
        centre_1=-0.5 * robot.l1 * chain.e1,
        centre_2=joint_2 - 0.5 * robot.l2 * chain.e2,
    )
