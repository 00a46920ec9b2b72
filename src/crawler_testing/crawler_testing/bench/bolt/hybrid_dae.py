"""Hybrid model without the singular perturbation, for scipy: the index-1 form of the constrained equations.

All seven coordinates of Appendix A are integrated; constraints, and the pin under the foot in stance, are imposed upon
accelerations by multipliers. A stiff solver steps, and its events end flight and stance.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from crawler_core.types import FloatArray
from crawler_models.bolt import Leg
from crawler_models.bolt.compiled.continuous_law import LawNumbers, Phase, after_ramp, begin, torque
from crawler_models.bolt.equations.constrained import constraints, coriolis, curvature, extended, gravity, inertia


class FinalState(NamedTuple):
    """The end of a run."""

    time: float  # s
    q_d: FloatArray
    constraint_error: float  # m, the largest there
    calls: int  # of the right-hand side


class HybridDae:
    """Runs one leg under one law, from a state in flight."""

    def __init__(self, leg: Leg, law: LawNumbers, method: str, tolerance: float) -> None:
        """`method` and `tolerance` (relative; absolute a hundredth of it) are solve_ivp's."""
        self.leg, self.law = leg, law
        self.solver = {"method": method, "rtol": tolerance, "atol": 0.01 * tolerance}

    def run(self, q_d: FloatArray, v: FloatArray, strides: int) -> FinalState:
        """Simulate so many flights and stances."""
        time, y, calls = 0.0, np.concatenate([q_d, v]), 0
        for _ in range(strides):
            for pinned in (False, True):
                if pinned:
                    y[7:] = self._pin(y)
                phase = begin.py_func(self.law, pinned, time, y[0])
                while True:
                    found = self._phase(phase, time, y, pinned)
                    time, y, calls = found.t[-1], found.y[:, -1], calls + found.nfev
                    if found.status == 1:
                        break
                    phase = after_ramp.py_func(self.law, phase)
        return FinalState(time, y[:7], float(np.abs(constraints(self.leg, y[:7])).max()), calls)

    def _phase(self, phase: Phase, time: float, y: FloatArray, pinned: bool) -> Any:
        def rates(t: float, y: FloatArray) -> FloatArray:
            return np.concatenate([y[7:], self._solve(phase, t, y, pinned)[:7]])

        def lands(_: float, y: FloatArray) -> float:
            return float(self._foot(y)[0][1])

        def leaves(t: float, y: FloatArray) -> float:
            return float(min(y[0] - phase.until, self._solve(phase, t, y, pinned)[-1]))

        event: Any = leaves if pinned else lands
        event.terminal, event.direction = True, -1.0
        end = phase.ends if math.isfinite(phase.ends) else time + 2.0
        return solve_ivp(rates, (time, end), y, events=event, **self.solver)

    def _solve(self, phase: Phase, t: float, y: FloatArray, pinned: bool) -> FloatArray:
        """Return the accelerations, then the multipliers: the last two are F_T and F_N of a pinned foot."""
        q_d, v = y[:7], y[7:]
        J, k = extended(self.leg, q_d)[:4], curvature(self.leg, q_d, v)
        if pinned:
            _, by, more = self._foot(y)
            J, k = np.vstack([J, by]), np.concatenate([k, more])
        force = -coriolis(self.leg, q_d, v) @ v - gravity(self.leg, q_d)
        force[0] += torque.py_func(self.law, phase, t, q_d[0], v[0])[0]
        return self._multipliers(q_d, J, force, -k)

    def _pin(self, y: FloatArray) -> FloatArray:
        """Return the velocities after the inelastic impact (18), (19)."""
        J = np.vstack([extended(self.leg, y[:7])[:4], self._foot(y)[1]])
        return self._multipliers(y[:7], J, inertia(self.leg, y[:7]) @ y[7:], np.zeros(6))[:7]

    def _multipliers(self, q_d: FloatArray, J: FloatArray, force: FloatArray, right: FloatArray) -> FloatArray:
        H, none = inertia(self.leg, q_d), np.zeros((len(J), len(J)))
        found = np.linalg.solve(np.block([[H, -J.T], [J, none]]), np.concatenate([force, right]))
        return np.asarray(found, dtype=float)

    def _foot(self, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return its position, its Jacobian, and its acceleration without those of the joints."""
        leg, along, down = self.leg, y[5], y[5] + y[6]
        A = leg.l_c * np.exp(1j * leg.theta)
        femur, tibia = leg.l_4 * np.exp(1j * along), leg.l_5 * np.exp(1j * down)
        at = complex(y[1], y[2]) + A + femur + tibia
        by = np.array([0.0, 1.0, 1j, 0.0, 0.0, 1j * (femur + tibia), 1j * tibia])
        more = -femur * y[12] ** 2 - tibia * (y[12] + y[13]) ** 2
        return np.array([at.real, at.imag]), np.array([by.real, by.imag]), np.array([more.real, more.imag])
