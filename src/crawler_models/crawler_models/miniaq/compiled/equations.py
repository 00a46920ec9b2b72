"""The equations of `dynamics` written in the body's frame.

The state has 20 numbers: P_I, Gamma and the cranks' angles; V_B, Omega_B and the cranks' rates. Neither x, y nor yaw
matters to the forces: all that they know of the world is the height and which way is up. A crank that turns at constant
speed is one with an endless inertia, whose `spin` is 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np

from crawler_core.types import FloatArray
from crawler_models.miniaq.compiled.contact import friction, normal_force
from crawler_models.miniaq.compiled.legs import Leg, foot, leg_of
from crawler_models.miniaq.equations.quadruped import Quadruped

Z, ROLL, PITCH, YAW, CRANK, V, OMEGA, RATE, STATES = 2, 3, 4, 5, 6, 10, 13, 16, 20


class Numbers(NamedTuple):
    """Numbers of a robot for the compiled functions."""

    leg: Leg
    hips: FloatArray  # m, (4, 3)
    mass: float
    inertia: FloatArray  # kg m², (3,)
    half: FloatArray  # m, (3,) of the body's prism
    g: float
    K: float
    e: float
    c_max: float
    d: float
    pulls: bool
    mu_s: float
    mu_d: float
    V_s: float
    V_d: float
    spin: float  # 1/(kg m²), one over a rotor's inertia; 0: the cranks turn at constant speed
    B: float


def numbers(robot: Quadruped, driven: bool) -> Numbers:
    """With cranks that efforts drive, or that turn at constant speed."""
    r = robot
    half = 0.5 * np.array([r.length, r.width, r.thickness])
    return Numbers(
        leg=leg_of(r),
        hips=r.hips,
        mass=float(r.m),
        inertia=r.inertia,
        half=half,
        g=float(r.g),
        K=float(r.K),
        e=float(r.e),
        c_max=float(r.c_max),
        d=float(r.d),
        pulls=bool(r.pulls),
        mu_s=float(r.mu_s),
        mu_d=float(r.mu_d),
        V_s=float(r.V_s),
        V_d=float(r.V_d),
        spin=1.0 / r.J if driven else 0.0,
        B=float(r.B),
    )


@numba.njit(cache=True, error_model="numpy")
def rates(n, y, effort, dy, force):
    """dy/dt, and for each foot the force along the body's axes (N) and what it does to the crank (N m): 4 x 4."""
    s_f, c_f, s_t, c_t = math.sin(y[3]), math.cos(y[3]), math.sin(y[4]), math.cos(y[4])
    s_p, c_p = math.sin(y[5]), math.cos(y[5])
    ux, uy, uz = -s_t, c_t * s_f, c_t * c_f  # up
    u, v, w, p, q, r = y[10], y[11], y[12], y[13], y[14], y[15]
    Fx = Fy = Fz = Mx = My = Mz = 0.0
    for j in range(4):
        E, E1, _ = foot(n.leg, y[CRANK + j])
        turn = y[RATE + j]
        x, yy, z = n.hips[j, 0] + E.real, n.hips[j, 1], n.hips[j, 2] + E.imag
        depth = -(y[Z] + ux * x + uy * yy + uz * z)
        fx = fy = fz = torque = 0.0
        if not depth <= 0.0:
            vx = u + q * z - r * yy + E1.real * turn
            vy = v + r * x - p * z
            vz = w + p * yy - q * x + E1.imag * turn
            rise = ux * vx + uy * vy + uz * vz
            vx, vy, vz = vx - rise * ux, vy - rise * uy, vz - rise * uz  # along the ground
            F_N = normal_force(n, depth, rise)[0]
            c = friction(n, vx * vx + vy * vy + vz * vz)[0]
            fx, fy, fz = F_N * (ux + c * vx), F_N * (uy + c * vy), F_N * (uz + c * vz)  # (17)
            torque = fx * E1.real + fz * E1.imag
            Fx, Fy, Fz = Fx + fx, Fy + fy, Fz + fz
            Mx, My, Mz = Mx + yy * fz - z * fy, My + z * fx - x * fz, Mz + x * fy - yy * fx  # (19)
        force[j, 0], force[j, 1], force[j, 2], force[j, 3] = fx, fy, fz, torque
        dy[CRANK + j] = turn
        dy[RATE + j] = n.spin * (effort[j] - n.B * turn + torque)
    dy[0] = c_t * c_p * u + (s_t * s_f * c_p - s_p * c_f) * v + (s_t * c_f * c_p + s_p * s_f) * w  # (13)
    dy[1] = c_t * s_p * u + (s_t * s_f * s_p + c_p * c_f) * v + (s_t * c_f * s_p - c_p * s_f) * w
    dy[2] = ux * u + uy * v + uz * w
    turning = q * s_f + r * c_f
    dy[3], dy[4], dy[5] = p + turning * s_t / c_t, q * c_f - r * s_f, turning / c_t  # (14)
    dy[10] = Fx / n.mass - n.g * ux - (q * w - r * v)  # (18), (8)
    dy[11] = Fy / n.mass - n.g * uy - (r * u - p * w)
    dy[12] = Fz / n.mass - n.g * uz - (p * v - q * u)
    Ixx, Iyy, Izz = n.inertia[0], n.inertia[1], n.inertia[2]
    dy[13] = (Mx - (Izz - Iyy) * q * r) / Ixx  # (10)
    dy[14] = (My - (Ixx - Izz) * r * p) / Iyy
    dy[15] = (Mz - (Iyy - Ixx) * p * q) / Izz


@numba.njit(cache=True, error_model="numpy")
def feet_along(n, y, out):
    """The feet's velocities along the body's axes (m/s, 4 x 3)."""
    for j in range(4):
        E, E1, _ = foot(n.leg, y[CRANK + j])
        x, yy, z = n.hips[j, 0] + E.real, n.hips[j, 1], n.hips[j, 2] + E.imag
        out[j, 0] = y[10] + y[14] * z - y[15] * yy + E1.real * y[RATE + j]
        out[j, 1] = y[11] + y[15] * x - y[13] * z
        out[j, 2] = y[12] + y[13] * yy - y[14] * x + E1.imag * y[RATE + j]
