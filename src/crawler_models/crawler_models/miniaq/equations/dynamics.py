"""The paper's equations as printed: a rigid body on four massless legs with prescribed crank motion.

This is the reference; `crawler_models.miniaq.compiled` has the same equations compiled.

The twelve states are X = (P_I, Gamma, V_B, Omega_B): the
centre of mass (m), roll, pitch and yaw (rad), and velocity (m/s) and angular velocity (rad/s) along the body's axes.
x is forward, y left, z up, so that a positive pitch is nose down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from crawler_core.types import FloatArray
from crawler_models.miniaq.equations.contact import friction_per_speed, normal_force
from crawler_models.miniaq.equations.four_bar import pins, turns
from crawler_models.miniaq.equations.quadruped import Quadruped


class Feet(NamedTuple):
    """The feet in the world: a row for each leg."""

    position: FloatArray  # m
    velocity: FloatArray  # m/s
    force: FloatArray  # N, from the ground


def rotation(gamma: ArrayLike) -> FloatArray:
    """R_B->I of (13), for one orientation or many."""
    phi, theta, psi = np.moveaxis(np.asarray(gamma, dtype=float), -1, 0)
    (s_f, s_t, s_p), (c_f, c_t, c_p) = np.sin([phi, theta, psi]), np.cos([phi, theta, psi])
    rows = [
        [c_t * c_p, s_t * s_f * c_p - s_p * c_f, s_t * c_f * c_p + s_p * s_f],
        [c_t * s_p, s_t * s_f * s_p + c_p * c_f, s_t * c_f * s_p - c_p * s_f],
        [-s_t, c_t * s_f, c_t * c_f],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def legs(robot: Quadruped, crank: ArrayLike, rates: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Positions (m) and velocities (m/s) of the feet E in the body, (1) to (6); a row for each leg."""
    E, by_crank = pins(robot, crank).E, turns(robot, crank).E * np.asarray(rates)
    still = np.zeros_like(E.real)
    return robot.hips + np.stack([E.real, still, E.imag], -1), np.stack([by_crank.real, still, by_crank.imag], -1)


def feet(robot: Quadruped, X: ArrayLike, crank: ArrayLike, rates: ArrayLike) -> Feet:
    """The feet and the forces on them, by the cranks' angles (rad) and rates (rad/s)."""
    X = np.asarray(X, dtype=float)
    P, gamma, V, omega = X[..., 0:3], X[..., 3:6], X[..., 6:9], X[..., 9:12]
    R = np.swapaxes(rotation(gamma), -1, -2)  # from rows of the body to rows of the world
    r_E, v_E = legs(robot, crank, rates)
    r_I = P[..., None, :] + r_E @ R
    v_I = (V[..., None, :] + np.cross(omega[..., None, :], r_E) + v_E) @ R
    F_N = normal_force(robot, -r_I[..., 2], v_I[..., 2])  # (15)
    along = v_I * np.array([1.0, 1.0, 0.0])
    per_speed = friction_per_speed(robot, np.hypot(v_I[..., 0], v_I[..., 1]))  # (16)
    F = F_N[..., None] * (np.array([0.0, 0.0, 1.0]) + per_speed[..., None] * along)  # (17)
    return Feet(r_I, v_I, F)


def crank_torque(robot: Quadruped, X: FloatArray, crank: FloatArray, force: FloatArray) -> FloatArray:
    """Torques on the cranks (N m) from the forces (N, world) on the feet, by virtual work."""
    _, by_crank = legs(robot, crank, np.ones(4))
    return np.einsum("...ji,...ji->...j", by_crank, force @ rotation(X[..., 3:6]))


def derivative(robot: Quadruped, X: FloatArray, crank: ArrayLike, rates: ArrayLike) -> FloatArray:
    """dX/dt, (8), (10), (13) and (14), while the cranks are at `crank` (rad) and turn at `rates` (rad/s)."""
    gamma, V, omega = X[3:6], X[6:9], X[9:12]
    R = rotation(gamma)
    F_B = feet(robot, X, crank, rates).force @ R  # (17), in the body
    F = F_B.sum(axis=0) + np.array([0.0, 0.0, -robot.m * robot.g]) @ R  # (18)
    M = np.cross(legs(robot, crank, rates)[0], F_B).sum(axis=0)  # (19)
    dV = F / robot.m - np.cross(omega, V)  # (8)
    domega = (M - np.cross(omega, robot.inertia * omega)) / robot.inertia  # (10); the dM of (9) is M
    dP = R @ V  # (13)
    p, q, r = omega
    (s_f, s_t), (c_f, c_t) = np.sin(gamma[:2]), np.cos(gamma[:2])
    turning = q * s_f + r * c_f
    dgamma = [p + turning * s_t / c_t, q * c_f - r * s_f, turning / c_t]  # (14)
    return np.concatenate([dP, dgamma, dV, domega])
