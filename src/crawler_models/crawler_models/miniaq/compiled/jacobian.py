"""The derivatives of `equations.rates` by the state."""

from __future__ import annotations

import math
from typing import NamedTuple

import numba

from crawler_core.types import Vector
from crawler_models.miniaq.compiled.contact import friction, normal_force
from crawler_models.miniaq.compiled.equations import CRANK, OMEGA, PITCH, RATE, ROLL, V, Z
from crawler_models.miniaq.compiled.legs import foot

ZERO_VECTOR = (0.0, 0.0, 0.0)
UNIT_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Foot(NamedTuple):
    """Inputs of the force on a foot, along the body's axes."""

    at: Vector  # m
    lever: Vector  # m/rad, by the crank's angle
    moves: Vector  # m/s, over the ground
    up: Vector
    rise: float  # m/s, of `moves` along `up`
    slides: Vector  # m/s, the rest of it
    normal: tuple[float, float, float]  # of `contact.normal_force`
    friction: tuple[float, float]  # of `contact.friction`


@numba.njit(cache=True, error_model="numpy")
def dot(a, b):
    """a . b"""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@numba.njit(cache=True, error_model="numpy")
def cross(a, b):
    """a x b"""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@numba.njit(cache=True, error_model="numpy")
def plus(a, s, b):
    """a + s b"""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@numba.njit(cache=True, error_model="numpy")
def vary(foot, deeper, lean, faster):
    """The force's derivative where depth, `up` and `moves` have these."""
    F_N, by_depth, by_rise = foot.normal
    c, bend = foot.friction
    rises = dot(lean, foot.moves) + dot(foot.up, faster)
    slides = plus(plus(faster, -rises, foot.up), -foot.rise, lean)
    more = by_depth * deeper + by_rise * rises
    along = more * c + F_N * bend * dot(foot.slides, slides)
    total = plus((along * foot.slides[0], along * foot.slides[1], along * foot.slides[2]), F_N * c, slides)
    return plus(plus(total, more, foot.up), F_N, lean)


@numba.njit(cache=True, error_model="numpy")
def put(n, J, j, column, foot, force):
    """Add what foot j's `force`, by the state `column`, does to the body and to its crank."""
    torque = cross(foot.at, force)
    for i in range(3):
        J[V + i, column] += force[i] / n.mass
        J[OMEGA + i, column] += torque[i] / n.inertia[i]
    J[RATE + j, column] += n.spin * dot(foot.lever, force)


@numba.njit(cache=True, error_model="numpy")
def feet(n, y, up, by_roll, by_pitch, J):
    """Add what the forces on the feet do."""
    body, omega = (y[10], y[11], y[12]), (y[13], y[14], y[15])
    for j in range(4):
        E, E1, E2 = foot(n.leg, y[CRANK + j])
        at = (n.hips[j, 0] + E.real, n.hips[j, 1], n.hips[j, 2] + E.imag)
        depth = -(y[Z] + dot(up, at))
        if depth <= 0.0:
            continue
        turn, lever, bent = y[RATE + j], (E1.real, 0.0, E1.imag), (E2.real, 0.0, E2.imag)
        moves = plus(plus(body, 1.0, cross(omega, at)), turn, lever)
        rise = dot(up, moves)
        slides = plus(moves, -rise, up)
        normal, rubs = normal_force(n, depth, rise), friction(n, dot(slides, slides))
        k = Foot(at, lever, moves, up, rise, slides, normal, rubs)
        put(n, J, j, Z, k, vary(k, -1.0, ZERO_VECTOR, ZERO_VECTOR))
        put(n, J, j, ROLL, k, vary(k, -dot(by_roll, at), by_roll, ZERO_VECTOR))
        put(n, J, j, PITCH, k, vary(k, -dot(by_pitch, at), by_pitch, ZERO_VECTOR))
        put(n, J, j, CRANK + j, k, vary(k, -dot(up, lever), ZERO_VECTOR, plus(cross(omega, lever), turn, bent)))
        # a crank moves the point that the force acts upon, too
        force = plus((normal[0] * up[0], normal[0] * up[1], normal[0] * up[2]), normal[0] * rubs[0], slides)
        torque = cross(lever, force)
        for i in range(3):
            J[OMEGA + i, CRANK + j] += torque[i] / n.inertia[i]
        J[RATE + j, CRANK + j] += n.spin * dot(bent, force)
        put(n, J, j, RATE + j, k, vary(k, 0.0, ZERO_VECTOR, lever))
        for i in range(3):
            put(n, J, j, V + i, k, vary(k, 0.0, ZERO_VECTOR, UNIT_AXES[i]))
            put(n, J, j, OMEGA + i, k, vary(k, 0.0, ZERO_VECTOR, cross(UNIT_AXES[i], at)))


@numba.njit(cache=True, error_model="numpy")
def jacobian(n, y, J):
    """d(dy/dt)/dy, 20 x 20."""
    J[:] = 0.0
    s_f, c_f, s_t, c_t = math.sin(y[3]), math.cos(y[3]), math.sin(y[4]), math.cos(y[4])
    s_p, c_p = math.sin(y[5]), math.cos(y[5])
    u, v, w, p, q, r = y[10], y[11], y[12], y[13], y[14], y[15]
    up = (-s_t, c_t * s_f, c_t * c_f)
    by_roll = (0.0, c_t * c_f, -c_t * s_f)
    by_pitch = (-c_t, -s_t * s_f, -s_t * c_f)

    # (13)
    J[0, 10], J[0, 11], J[0, 12] = c_t * c_p, s_t * s_f * c_p - s_p * c_f, s_t * c_f * c_p + s_p * s_f
    J[1, 10], J[1, 11], J[1, 12] = c_t * s_p, s_t * s_f * s_p + c_p * c_f, s_t * c_f * s_p - c_p * s_f
    J[2, 10], J[2, 11], J[2, 12] = up
    for i in range(3):
        J[i, 3] = J[i, 12] * v - J[i, 11] * w
    forward = -s_t * u + c_t * (s_f * v + c_f * w)
    J[0, 4], J[1, 4], J[2, 4] = c_p * forward, s_p * forward, by_pitch[0] * u + by_pitch[1] * v + by_pitch[2] * w
    J[0, 5] = -(J[1, 10] * u + J[1, 11] * v + J[1, 12] * w)
    J[1, 5] = J[0, 10] * u + J[0, 11] * v + J[0, 12] * w

    # (14)
    turning, other, tan = q * s_f + r * c_f, q * c_f - r * s_f, s_t / c_t
    J[3, 3], J[3, 4], J[3, 13], J[3, 14], J[3, 15] = other * tan, turning / (c_t * c_t), 1.0, s_f * tan, c_f * tan
    J[4, 3], J[4, 14], J[4, 15] = -turning, c_f, -s_f
    J[5, 3], J[5, 4], J[5, 14], J[5, 15] = other / c_t, turning * tan / c_t, s_f / c_t, c_f / c_t

    # (8) and (10)
    for i in range(3):
        J[V + i, ROLL], J[V + i, PITCH] = -n.g * by_roll[i], -n.g * by_pitch[i]
    J[10, 11], J[10, 12], J[10, 14], J[10, 15] = r, -q, -w, v
    J[11, 10], J[11, 12], J[11, 13], J[11, 15] = -r, p, w, -u
    J[12, 10], J[12, 11], J[12, 13], J[12, 14] = q, -p, -v, u
    Ixx, Iyy, Izz = n.inertia[0], n.inertia[1], n.inertia[2]
    J[13, 14], J[13, 15] = -(Izz - Iyy) / Ixx * r, -(Izz - Iyy) / Ixx * q
    J[14, 13], J[14, 15] = -(Ixx - Izz) / Iyy * r, -(Ixx - Izz) / Iyy * p
    J[15, 13], J[15, 14] = -(Iyy - Ixx) / Izz * q, -(Iyy - Ixx) / Izz * p

    for j in range(4):
        J[CRANK + j, RATE + j] = 1.0
        J[RATE + j, RATE + j] = -n.spin * n.B
    feet(n, y, up, by_roll, by_pitch, J)
