"""Steady gait with scipy alone: solve_ivp with events, phase by phase, until the cycle repeats.

The reduced equations are those of the fast maps, so that only the methods are compared.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from crawler_core.motion import PeriodicMotion
from crawler_models.three_link import ThreeLink
from crawler_models.three_link.equations.closed_chain import Chain, chain
from crawler_models.three_link.equations.contact_law import consistent_modes
from crawler_models.three_link.equations.dynamics import acceleration, contact_forces
from crawler_models.three_link.equations.foot_mode import Mode

RTOL, ATOL = 1e-9, 1e-10  # 1e-3 mm of step needs about these
MAX_CYCLE_CHANGE_M = 1e-9  # of x1' over a cycle, times the period
MAX_CYCLES = 100
LOOK_AHEAD = 1e-7  # of the period
FIRST_STEP = 2e-4  # of the period, after an event: a foot that soon stops again must not do so within it


def steady_step(robot: ThreeLink, motion: PeriodicMotion) -> float:
    """Return the step length in m. Contact loss and Painleve's paradox are not detected."""
    period = motion.period
    v1, mode = 0.0, None
    for _ in range(MAX_CYCLES):
        x1, end, mode = _cycle(robot, motion, v1, mode)
        if abs(end - v1) * period < MAX_CYCLE_CHANGE_M:
            return -x1
        v1 = end
    raise RuntimeError("the gait does not settle")


def _cycle(robot: ThreeLink, motion: PeriodicMotion, v1: float, mode: Mode | None) -> tuple[float, float, Mode]:
    def at(t: float) -> Chain:
        (p1, p2), (dp1, dp2), (ddp1, ddp2) = (values.tolist() for values in motion.sample(np.asarray(t)))
        return chain(robot, p1, p2, dp1, dp2, ddp1, ddp2, exp=cmath.exp)

    t, y = 0.0, np.array([0.0, v1])
    while mode is None or t < motion.period:
        if mode is None:
            mode = _choose(robot, at, t, y, (0, None), motion.period)
        solution = solve_ivp(
            lambda t, y, mode=mode: (y[1], acceleration(robot, at(t), mode)),
            (t, motion.period),
            y,
            method="DOP853",
            rtol=RTOL,
            atol=ATOL,
            first_step=min(FIRST_STEP * motion.period, motion.period - t),
            max_step=motion.period / 50.0,
            events=_events(robot, at, mode),
        )
        t, y = float(solution.t[-1]), solution.y[:, -1]
        fired = [k for k, found in enumerate(solution.t_events) if len(found)]
        if fired:
            moving = tuple(0 if mode[k] == 0 or fired[0] == k else mode[k] for k in (0, 1))
            if moving[0] == 0:
                y[1] = 0.0
            mode = _choose(robot, at, t, y, moving, motion.period)
    if mode[0] and not mode[1]:
        y[1] = -at(t).d1
    return float(y[0]), float(y[1]), mode


def _choose(
    robot: ThreeLink, at: Callable[[float], Chain], t: float, y: np.ndarray, moving: tuple, period: float
) -> Mode:
    if moving[1] is None:
        v2 = y[1] + at(t).d1
        moving = (int(np.sign(y[1])), int(np.sign(v2)))
    modes, _ = consistent_modes(robot, at(t + LOOK_AHEAD * period), moving, False, t)
    return modes[0]


def _events(robot: ThreeLink, at: Callable[[float], Chain], mode: Mode) -> list[Callable[[float, np.ndarray], float]]:
    """Return one event per foot: a slip that stops, or a stick that breaks."""

    def foot_1(t: float, y: np.ndarray) -> float:
        return mode[0] * y[1] if mode[0] else cone(t, 0)

    def foot_2(t: float, y: np.ndarray) -> float:
        return mode[1] * (y[1] + at(t).d1) if mode[1] else cone(t, 1)

    def cone(t: float, foot: int) -> float:
        c = at(t)
        forces = contact_forces(robot, c, mode, acceleration(robot, c, mode))
        return (robot.mu1, robot.mu2)[foot] * forces[2 * foot + 1] - abs(forces[2 * foot])

    for event in (foot_1, foot_2):
        event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
    return [foot_1, foot_2]
