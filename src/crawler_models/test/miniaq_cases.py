"""The robot file's MinIAQ, its gaits, and its mechanics written anew by Lagrange's equations."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crawler_core.robot.robot_file import load_robot
from crawler_models.miniaq import Quadruped

SPEC = load_robot("miniaq")
ROBOT = Quadruped.from_parameters(SPEC.parameters)
LOWEST = math.radians(135.0)  # rad of a crank: phase 0
PHASES = {  # of a turn, of the legs fl, fr, hl, hr
    "trot": (0.0, 0.5, 0.5, 0.0),
    "walk": (0.75, 0.25, 0.0, 0.5),
    "pace": (0.0, 0.5, 0.0, 0.5),
    "bound": (0.0, 0.0, 0.5, 0.5),
    "pronk": (0.0, 0.0, 0.0, 0.0),
}
RATES = np.full(4, 2.0 * math.pi * 2.5)


def cranks(gait: str) -> NDArray:
    return LOWEST + 2.0 * math.pi * np.array(PHASES[gait])


def random_states(count: int) -> list[tuple[NDArray, NDArray, NDArray]]:
    """Twelve states, cranks and rates: on the ground or just above, slow and fast."""
    rng = np.random.default_rng(11)
    found = []
    for k in range(count):
        X = np.concatenate([rng.normal(size=3), 0.05 * rng.normal(size=3), rng.normal(size=6)])
        X[2], X[5] = rng.uniform(0.037, 0.041), rng.uniform(-3.0, 3.0)
        X[6:9] *= rng.choice([1e-3, 1e-2, 1e-1])
        X[9:] *= rng.choice([1e-2, 1.0])
        crank = rng.uniform(-math.pi, math.pi, 4)
        if k % 4 == 0:  # all four down, as where it stands
            X[2:5], crank = [0.0399, 0.0, 0.0], LOWEST + 0.02 * crank
        found.append((X, crank, rng.choice([0.1, 15.0]) * rng.normal(size=4)))
    return found


def leg_by_iteration(robot: Quadruped, crank: float) -> tuple[NDArray, NDArray]:
    """The foot and its derivative by the crank, x and z in the leg's plane: the two bars' angles found by Newton."""

    def bar(angle):
        return np.array([math.cos(angle), math.sin(angle)])

    def across(angle):
        return np.array([-math.sin(angle), math.cos(angle)])

    # angles counter-clockwise from x here, so the crank's is negative; begin with the knee ahead and below
    third, fourth = math.radians(-25.0), math.radians(-90.0)
    D = robot.l_2 * bar(-crank)
    for _ in range(50):
        open_by = D + robot.l_3 * bar(third) - np.array([robot.x_A, robot.z_A]) - robot.l_4 * bar(fourth)
        by = np.column_stack([robot.l_3 * across(third), -robot.l_4 * across(fourth)])
        third, fourth = np.array([third, fourth]) - np.linalg.solve(by, open_by)
        if np.abs(open_by).max() < 1e-17:
            break
    E = D + robot.l_3 * bar(third) + robot.l_5 * bar(third - robot.theta_35)
    dD = -robot.l_2 * across(-crank)
    turn = np.linalg.solve(by, -dD)[0]
    return E, dD + turn * (robot.l_3 * across(third) + robot.l_5 * across(third - robot.theta_35))


def _turned(gamma: NDArray) -> tuple[NDArray, NDArray]:
    """R = Rz Ry Rx, and its derivatives by roll, pitch and yaw; of complex angles too."""
    axes = np.zeros((3, 3, 3))
    for k, (i, j) in enumerate([(1, 2), (2, 0), (0, 1)]):
        axes[k, j, i], axes[k, i, j] = 1.0, -1.0
    single = [np.eye(3) + np.sin(a) * N + (1.0 - np.cos(a)) * N @ N for a, N in zip(gamma, axes, strict=True)]
    slope = [np.cos(a) * N + np.sin(a) * N @ N for a, N in zip(gamma, axes, strict=True)]
    (X, Y, Z), (dX, dY, dZ) = single, slope
    return Z @ Y @ X, np.array([Z @ Y @ dX, Z @ dY @ X, dZ @ Y @ X])


def _spins(gamma: NDArray) -> NDArray:
    """W of Omega = W dGamma: a column for each angle, the vector of R' dR."""
    R, by = _turned(gamma)
    skew = [R.T @ each for each in by]
    return np.array([[S[2, 1], S[0, 2], S[1, 0]] for S in skew]).T


def _cubic(x: float, x_1: float, y_1: float, x_2: float, y_2: float) -> float:
    """A step between two points, as the polynomial through them with level ends."""
    if x <= x_1:
        return y_1
    if x >= x_2:
        return y_2
    # in units of the step's width
    system = [[0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0], [3.0, 2.0, 1.0, 0.0]]
    return float(np.polyval(np.linalg.solve(system, [y_1, y_2, 0.0, 0.0]), (x - x_1) / (x_2 - x_1)))


def ground(robot: Quadruped, p: NDArray, v: NDArray) -> NDArray:
    """The force (N) on a point of the robot, by Table II."""
    if p[2] >= 0.0:
        return np.zeros(3)
    normal = robot.K * (-p[2]) ** robot.e - _cubic(-p[2], 0.0, 0.0, robot.d, robot.c_max) * v[2]
    if not robot.pulls:
        normal = max(normal, 0.0)
    V = math.hypot(v[0], v[1])
    if robot.V_s > V:
        mu = _cubic(V, -robot.V_s, robot.mu_s, robot.V_s, -robot.mu_s)
    else:
        mu = _cubic(V, robot.V_s, -robot.mu_s, robot.V_d, -robot.mu_d)
    along = mu * v[:2] / V if V > 0.0 else np.zeros(2)
    return normal * np.array([along[0], along[1], 1.0])


def by_lagrange(robot: Quadruped, X: NDArray, crank: NDArray, rates: NDArray) -> NDArray:
    """dX/dt from the energies in P_I and Gamma and the forces' virtual work, with derivatives by complex steps."""
    P, gamma = X[:3], X[3:6]
    R, by = _turned(gamma)
    W, inertia = _spins(gamma), np.diag(robot.inertia)
    dP, dgamma = R @ X[6:9], np.linalg.solve(W, X[9:])

    def mass(angles):
        return _spins(angles).T @ inertia @ _spins(angles)

    tiny = 1e-30
    slope = np.array([mass(gamma + 1j * tiny * unit).imag / tiny for unit in np.eye(3)])  # of the mass matrix
    dW = _spins(gamma + 1j * tiny * dgamma).imag / tiny
    pull, turn = np.array([0.0, 0.0, -robot.m * robot.g]), np.zeros(3)
    for hip, angle, rate in zip(robot.hips, crank, rates, strict=True):
        E, dE = leg_by_iteration(robot, angle)
        b, db = hip + np.array([E[0], 0.0, E[1]]), rate * np.array([dE[0], 0.0, dE[1]])
        moving = [each @ b for each in by]
        F = ground(robot, P + R @ b, dP + dgamma @ np.array(moving) + R @ db)
        pull, turn = pull + F, turn + np.array([each @ F for each in moving])
    change = np.einsum("kij,k,j->i", slope, dgamma, dgamma) - 0.5 * np.einsum("kij,i,j->k", slope, dgamma, dgamma)
    ddgamma = np.linalg.solve(mass(gamma), turn - change)
    dR = np.einsum("kij,k->ij", by, dgamma)
    return np.concatenate([dP, dgamma, R.T @ pull / robot.m + dR.T @ dP, W @ ddgamma + dW @ dgamma])
