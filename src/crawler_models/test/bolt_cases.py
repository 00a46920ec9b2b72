"""The leg of the paper's Tables 2 and 3, and its mechanics written anew from where the masses are."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.equations.six_bar import pins

PAPERS_LEG = Leg(
    l_c=0.080,
    theta=math.radians(41.41),
    l_1=0.020,
    l_2=0.105,
    l_3=0.190,
    l_4=0.210,
    l_5=0.303,
    l_s=0.052,
    l_f=0.080,
    l_t=0.050,
    m_1=2.5639,
    m_2=0.0802,
    m_3=0.0921,
    m_4=1.1163,
    m_5=0.9754,
    m_b=2.5639,
    c_2=0.0661,
    c_3=0.1051,
    c_4=0.0574,
    c_5=0.0983,
    I_1=2.51e-5,
    I_2=1.53e-4,
    I_3=4.18e-4,
    I_4=4.8e-3,
    I_5=3.9e-3,
    I_r=0.0,
    g=9.81,
    mu=0.8,
    k=65e3,
    d=100.0,
)


class Closed:
    """The closed chain in (q1, x_b, y_b): Lagrange's equations, with derivatives by q1 from Fourier series."""

    def __init__(self, leg: Leg, points: int = 256) -> None:
        p = pins(leg, 2.0 * math.pi * np.arange(points) / points)
        A = np.full_like(p.D, p.A)

        def along(start, end, length):
            return start + length * (end - start) / abs(end - start)

        self.masses = np.array([leg.m_1 + leg.m_b, leg.m_2, leg.m_3, leg.m_4, leg.m_5])
        self.inertias = np.array([leg.I_1 + leg.I_r, leg.I_2, leg.I_3, leg.I_4, leg.I_5])
        centres = [0.0 * p.D, along(p.D, p.B, leg.c_2), along(p.C, p.G, leg.c_3), along(A, p.E, leg.c_4)]
        centres.append(along(p.E, p.F, leg.c_5))
        bars = [p.D / leg.l_1, (p.B - p.D) / leg.l_2, (p.G - p.C) / leg.l_3, (p.E - A) / leg.l_4, (p.F - p.E) / leg.l_5]
        self.series = np.fft.fft(np.stack([*centres, *bars, p.F]), axis=1) / points
        self.orders = np.fft.fftfreq(points, 1.0 / points)
        self.g = leg.g

    def at(self, q1: float) -> tuple[NDArray, ...]:
        """Centres, directions and foot, and their first and second derivatives by the crank's angle."""
        wave = np.exp(1j * self.orders * q1)
        return tuple(self.series @ (wave * (1j * self.orders) ** k) for k in range(3))

    def terms(self, q1: float, dq1: float) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """M and b of M ddq + b = (tau, 0, 0) + Jc' F; the foot's Jacobian; its acceleration without ddq."""
        at, by, twice = self.at(q1)
        m, inertias = self.masses, self.inertias
        turn = np.imag(np.conj(at[5:10]) * by[5:10])
        more = np.imag(np.conj(at[5:10]) * twice[5:10])
        first, second = m @ by[:5], m @ twice[:5]
        inertia = m @ abs(by[:5]) ** 2 + inertias @ turn**2
        change = m @ np.real(np.conj(by[:5]) * twice[:5]) + inertias @ (turn * more)
        M = np.array([[inertia, first.real, first.imag], [first.real, m.sum(), 0.0], [first.imag, 0.0, m.sum()]])
        b = np.array([change * dq1**2 + self.g * first.imag, second.real * dq1**2, second.imag * dq1**2])
        b[2] += self.g * m.sum()
        Jc = np.array([[by[10].real, 1.0, 0.0], [by[10].imag, 0.0, 1.0]])
        return M, b, Jc, dq1**2 * np.array([twice[10].real, twice[10].imag])

    def energy(self, q: NDArray, dq: NDArray) -> float:
        """Kinetic and potential, J."""
        height = self.masses @ (self.at(q[0])[0][:5].imag + q[2])
        return float(0.5 * dq @ self.terms(q[0], dq[0])[0] @ dq + self.g * height)

    def fly(self, q: NDArray, dq: NDArray, times: NDArray, tau: Callable[[float, float, float], float]) -> NDArray:
        """q and dq (rows) at `times` (s), without ground."""

        def rates(t: float, y: NDArray) -> NDArray:
            M, b, _, _ = self.terms(y[0], y[3])
            force = np.array([tau(t, y[0], y[3]), 0.0, 0.0]) - b
            return np.concatenate([y[3:], np.linalg.solve(M, force)])

        span = (times[0], times[-1])
        found = solve_ivp(rates, span, [*q, *dq], "DOP853", times, rtol=1e-12, atol=1e-13)
        return found.y.T
