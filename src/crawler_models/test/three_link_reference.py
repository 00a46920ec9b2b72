"""A second, independent simulation: the paper's matrices (18) and (20) integrated by scipy with event detection.

The joints' accelerations may depend on the state, as a feedback law needs (19). Slower than ``hybrid`` by two orders,
and free of its reductions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from three_link_matrices import Response, block_system, foot_jacobians

from crawler_models.three_link.equations.contact_law import ContactLost, NoConsistentMode
from crawler_models.three_link.equations.foot_mode import STICK_STICK, Mode, candidates
from crawler_models.three_link.equations.three_link import ThreeLink

Array = NDArray[np.float64]
JointAcceleration = Callable[[float, Array, Array, Mode], Array]
"""q_c'' as a function of (t, q, dq, mode)."""

_AT_REST = 1e-9  # m/s; far above the solver's tolerance, far below any gait


@dataclass(frozen=True)
class Run:
    """Accepted steps of the solver; ``x1`` and ``v1`` are foot 1's, in the paper's axes."""

    t: Array
    q: Array
    dq: Array
    x1: Array
    v1: Array
    switches: tuple[tuple[float, Mode], ...]
    mode: Mode


def foot_positions(robot: ThreeLink, q: Array) -> tuple[complex, complex]:
    """Feet in the world, x + i y."""
    centre, theta = q[0] + 1j * q[1], q[2]
    arm = 0.5 * robot.l0 * np.exp(1j * theta)
    foot_1 = centre - arm + robot.l1 * np.exp(1j * (theta - q[3]))
    return foot_1, centre + arm - robot.l2 * np.exp(1j * (theta + q[4]))


def grounded_state(robot: ThreeLink, qc: Array, dqc: Array, v1: float = 0.0) -> tuple[Array, Array]:
    """q and dq with both feet on the ground, foot 1 at x = 0 and moving at ``v1``."""
    up = robot.l2 * np.sin(qc[1]) - robot.l1 * np.sin(qc[0])
    along = robot.l0 - robot.l1 * np.cos(qc[0]) - robot.l2 * np.cos(qc[1])
    q = np.array([0.0, 0.0, np.arctan2(up, along), *qc])
    foot_1, _ = foot_positions(robot, q)
    q[:2] = -foot_1.real, -foot_1.imag
    (w1, w2), _ = foot_jacobians(robot, q, np.zeros(5))
    constraint = np.vstack((w1, w2[1]))
    body = np.linalg.solve(constraint[:, :3], np.array([v1, 0.0, 0.0]) - constraint[:, 3:] @ dqc)
    return q, np.concatenate((body, dqc))


def simulate(
    robot: ThreeLink,
    joint_acceleration: JointAcceleration,
    state: tuple[Array, Array],
    start: float,
    end: float,
    *,
    mode: Mode | None = None,
    max_step: float,
    rtol: float = 1e-10,
) -> Run:
    """Integrate (q, dq) from ``start`` to ``end``; events are looked for at every step, so ``max_step`` bounds them.

    Raises ContactLost and NoConsistentMode.
    """

    def respond(t: float, y: Array, mode: Mode) -> Response:
        q, dq = y[:5], y[5:]
        return block_system(robot, q, dq, mode).respond(joint_acceleration(t, q, dq, mode))

    y = np.concatenate(state)
    t = start
    if mode is None:
        mode = _choose(robot, respond, t, y, _moving(robot, y))
    times, states, switches = [np.array([t])], [y[:, None]], []
    while t < end:
        events = _events(robot, respond, mode)
        solution = solve_ivp(
            lambda t, y, mode=mode: np.concatenate((y[5:], respond(t, y, mode).ddq)),
            (t, end),
            y,
            method="DOP853",
            rtol=rtol,
            atol=1e-12,
            max_step=max_step,
            events=[event for event, _ in events],
        )
        times.append(solution.t[1:])
        states.append(solution.y[:, 1:])
        t, y = float(solution.t[-1]), solution.y[:, -1]
        fired = [event for found, (_, event) in zip(solution.t_events, events, strict=True) if len(found)]
        if fired:
            kind, foot = fired[0]
            if kind == "lost":
                raise ContactLost(foot + 1, t)
            moving = _moving(robot, y)
            moving = [0 if mode[k] == 0 else moving[k] for k in (0, 1)]
            if kind == "breaks":
                moving[foot] = -int(np.sign(respond(t, y, mode).forces[2 * foot]))
            else:
                moving[foot] = 0
                y = y.copy()
                y[5] -= _velocities(robot, y)[foot]
            mode = _choose(robot, respond, t, y, moving)
            switches.append((t, mode))
    all_y = np.hstack(states)
    v1 = np.array([_velocities(robot, column)[0] for column in all_y.T])
    x1 = np.array([foot_positions(robot, column[:5])[0].real for column in all_y.T])
    return Run(np.concatenate(times), all_y[:5].T, all_y[5:].T, x1, v1, tuple(switches), mode)


def _velocities(robot: ThreeLink, y: Array) -> Array:
    (w1, w2), _ = foot_jacobians(robot, y[:5], y[5:])
    return np.array([w1[0] @ y[5:], w2[0] @ y[5:]])


def _moving(robot: ThreeLink, y: Array) -> list[int]:
    return [0 if abs(v) < _AT_REST else int(np.sign(v)) for v in _velocities(robot, y)]


def _choose(robot: ThreeLink, respond: Callable[..., Response], t: float, y: Array, moving: list[int]) -> Mode:
    """The first mode whose sticking feet stay in the friction cone (4a) and whose starting feet start its way."""
    _, (dw1, dw2) = foot_jacobians(robot, y[:5], y[5:])
    (w1, w2), _ = foot_jacobians(robot, y[:5], y[5:])
    for mode in candidates((moving[0], moving[1])):
        if mode == STICK_STICK:  # prescribed joints cannot move with both feet stuck
            continue
        response = respond(t, y, mode)
        accelerations = [w[0] @ response.ddq + dw[0] @ y[5:] for w, dw in ((w1, dw1), (w2, dw2))]
        fits = True
        for foot, mu in enumerate((robot.mu1, robot.mu2)):
            fx, fy = response.forces[2 * foot : 2 * foot + 2]
            if mode[foot] == 0:
                fits &= bool(abs(fx) <= mu * fy)
            elif moving[foot] == 0:
                fits &= bool(mode[foot] * accelerations[foot] > 0.0)
        if fits:
            return mode
    raise NoConsistentMode(t)


def _events(
    robot: ThreeLink, respond: Callable[..., Response], mode: Mode
) -> list[tuple[Callable[[float, Array], float], tuple[str, int]]]:
    events: list[tuple[Any, tuple[str, int]]] = []

    def add(kind: str, foot: int, function: Callable[[float, Array], float]) -> None:
        function.terminal, function.direction = True, -1.0  # type: ignore[attr-defined]
        events.append((function, (kind, foot)))

    for foot, mu in enumerate((robot.mu1, robot.mu2)):

        def normal(t: float, y: Array, k: int = foot) -> float:
            return float(respond(t, y, mode).forces[2 * k + 1])

        def forward(t: float, y: Array, k: int = foot) -> float:
            return float(mode[k] * _velocities(robot, y)[k])

        add("lost", foot, normal)
        if mode[foot]:
            add("stops", foot, forward)
            continue
        for side in (1.0, -1.0):

            def cone(t: float, y: Array, k: int = foot, mu: float = mu, side: float = side) -> float:
                fx, fy = respond(t, y, mode).forces[2 * k : 2 * k + 2]
                return float(mu * fy - side * fx)

            add("breaks", foot, cone)
    return events
