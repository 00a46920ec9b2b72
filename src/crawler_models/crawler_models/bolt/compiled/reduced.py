"""The leg reduced to its crank and its centre of mass, exactly: the six-bar in closed form and what turns with it.

Points are complex, x + i y, in the body's axes; dots in names are derivatives by the crank's angle q1. With the
centre of mass c and the foot at c + r(q1), the equations of motion are

    M c'' = F - i M g,    J q1'' + J_dot q1'^2 / 2 = tau + r_dot . F

for a force F on the foot: J is the moving parts' inertia as the crank feels it when the whole leg hangs free.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from crawler_models.bolt.equations.leg import Leg

LEG_FIELDS = "l_1 l_2 l_3 l_4 l_5 l_s l_f l_t c_2 c_3 c_4 c_5 m_2 m_3 m_4 m_5 I_2 I_3 I_4 I_5".split()  # noqa: SIM905


def pack(leg: Leg) -> np.ndarray:
    """The leg as the compiled functions take it."""
    hinge = leg.l_c * np.exp(1j * leg.theta)
    contact = (leg.mass, leg.g, leg.mu, leg.k, leg.d)
    return np.array(
        [*(getattr(leg, name) for name in LEG_FIELDS), hinge.real, hinge.imag, leg.I_1 + leg.I_r, *contact], float
    )


@numba.njit(cache=True, error_model="numpy")
def cross(a, b):
    return a.real * b.imag - a.imag * b.real


@numba.njit(cache=True, error_model="numpy")
def dot(a, b):
    return a.real * b.real + a.imag * b.imag


@numba.njit(cache=True, error_model="numpy")
def right_of(start, from_start, end, from_end):
    """The point at both distances, to the right of the way from start to end; NaN without one."""
    way = end - start
    square = dot(way, way)
    along = 0.5 * (1.0 + (from_start**2 - from_end**2) / square)
    return start + way * complex(along, -math.sqrt(from_start**2 / square - along**2))


@numba.njit(cache=True, error_model="numpy")
def linkage(leg, q1):
    """Unit vectors along the bars 1 to 5, and the first and second derivatives of the angles of bars 2 to 5."""
    l_1, l_2, l_3, l_4, l_s, l_f, l_t = leg[0], leg[1], leg[2], leg[3], leg[5], leg[6], leg[7]
    e1 = complex(math.cos(q1), math.sin(q1))
    hinge = complex(leg[20], leg[21])
    pin_d = l_1 * e1
    pin_b = right_of(pin_d, l_2, hinge, l_f)
    e2, e4 = (pin_b - pin_d) * (1.0 / l_2), (pin_b - hinge) * (1.0 / l_f)
    pin_c, knee = pin_d + l_s * e2, hinge + l_4 * e4
    pin_g = right_of(pin_c, l_3, knee, l_t)
    e3, e5 = (pin_g - pin_c) * (1.0 / l_3), (pin_g - knee) * (1.0 / l_t)
    # the loops' velocities: l_f t4 e4 - l_2 t2 e2 = l_1 e1,  l_3 t3 e3 - l_t t5 e5 = l_4 t4 e4 - l_1 e1 - l_s t2 e2
    upper, lower = 1.0 / cross(e4, e2), 1.0 / cross(e3, e5)
    t4, t2 = l_1 * cross(e1, e2) * upper / l_f, l_1 * cross(e1, e4) * upper / l_2
    a = l_4 * t4 * e4 - l_1 * e1 - l_s * t2 * e2
    t3, t5 = cross(a, e5) * lower / l_3, cross(a, e3) * lower / l_t
    # and their accelerations
    a = 1j * (l_1 * e1 - l_f * t4**2 * e4 + l_2 * t2**2 * e2)
    u4, u2 = cross(a, e2) * upper / l_f, cross(a, e4) * upper / l_2
    a = l_4 * complex(u4, t4**2) * e4 - 1j * l_1 * e1 - l_s * complex(u2, t2**2) * e2
    a -= 1j * (l_3 * t3**2 * e3 - l_t * t5**2 * e5)
    u3, u5 = cross(a, e5) * lower / l_3, cross(a, e3) * lower / l_t
    return e1, e2, e3, e4, e5, t2, t3, t4, t5, u2, u3, u4, u5


@numba.njit(cache=True, error_model="numpy")
def reduced(leg, q1):
    """J, J_dot, r, r_dot, r_ddot: inertia at the crank, and the foot from the centre of mass."""
    e1, e2, e3, e4, e5, t2, t3, t4, t5, u2, u3, u4, u5 = linkage(leg, q1)
    l_1, l_4, l_5, l_s = leg[0], leg[3], leg[4], leg[5]
    c_2, c_3, c_4, c_5 = leg[8], leg[9], leg[10], leg[11]
    m_2, m_3, m_4, m_5 = leg[12], leg[13], leg[14], leg[15]
    # each bar's unit vector: first and second derivative
    d1, d2, d3, d4, d5 = 1j * e1, 1j * t2 * e2, 1j * t3 * e3, 1j * t4 * e4, 1j * t5 * e5
    dd2, dd3 = complex(-(t2**2), u2) * e2, complex(-(t3**2), u3) * e3
    dd4, dd5 = complex(-(t4**2), u4) * e4, complex(-(t5**2), u5) * e5
    # each mass centre's
    v2, a2 = l_1 * d1 + c_2 * d2, c_2 * dd2 - l_1 * e1
    v3, a3 = l_1 * d1 + l_s * d2 + c_3 * d3, l_s * dd2 + c_3 * dd3 - l_1 * e1
    v4, a4 = c_4 * d4, c_4 * dd4
    v5, a5 = l_4 * d4 + c_5 * d5, l_4 * dd4 + c_5 * dd5
    per_mass = 1.0 / leg[23]
    v, a = m_2 * v2 + m_3 * v3 + m_4 * v4 + m_5 * v5, m_2 * a2 + m_3 * a3 + m_4 * a4 + m_5 * a5
    J = leg[22] + m_2 * dot(v2, v2) + m_3 * dot(v3, v3) + m_4 * dot(v4, v4) + m_5 * dot(v5, v5)
    J += leg[16] * t2**2 + leg[17] * t3**2 + leg[18] * t4**2 + leg[19] * t5**2 - per_mass * dot(v, v)
    half = m_2 * dot(v2, a2) + m_3 * dot(v3, a3) + m_4 * dot(v4, a4) + m_5 * dot(v5, a5)
    half += leg[16] * t2 * u2 + leg[17] * t3 * u3 + leg[18] * t4 * u4 + leg[19] * t5 * u5 - per_mass * dot(v, a)
    r = complex(leg[20], leg[21]) + l_4 * e4 + l_5 * e5 - centre_of(leg, e1, e2, e3, e4, e5)
    return J, 2.0 * half, r, l_4 * d4 + l_5 * d5 - per_mass * v, l_4 * dd4 + l_5 * dd5 - per_mass * a


@numba.njit(cache=True, error_model="numpy")
def centre_of(leg, e1, e2, e3, e4, e5):
    """The centre of mass from the crank's axis."""
    l_1, l_4, l_s = leg[0], leg[3], leg[5]
    m_2, m_3, m_4, m_5 = leg[12], leg[13], leg[14], leg[15]
    moment = (m_2 + m_3) * l_1 * e1 + (m_2 * leg[8] + m_3 * l_s) * e2 + m_3 * leg[9] * e3
    moment += (m_4 + m_5) * complex(leg[20], leg[21]) + (m_4 * leg[10] + m_5 * l_4) * e4 + m_5 * leg[11] * e5
    return moment / leg[23]


@numba.njit(cache=True, error_model="numpy")
def posture(leg, q1):
    """The centre of mass and its derivative, the foot, the lowest of the other pins (m), and the bars' derivatives."""
    e1, e2, e3, e4, e5, t2, t3, t4, t5, _, _, _, _ = linkage(leg, q1)
    l_1, l_4, l_s = leg[0], leg[3], leg[5]
    m_2, m_3, m_4, m_5 = leg[12], leg[13], leg[14], leg[15]
    moving = (m_2 + m_3) * l_1 * e1 + (m_2 * leg[8] + m_3 * l_s) * t2 * e2 + m_3 * leg[9] * t3 * e3
    moving += (m_4 * leg[10] + m_5 * l_4) * t4 * e4 + m_5 * leg[11] * t5 * e5
    knee = complex(leg[20], leg[21]) + l_4 * e4
    lowest = min(0.0, knee.imag, knee.imag + leg[7] * e5.imag, (l_1 * e1 + l_s * e2).imag)
    centre = centre_of(leg, e1, e2, e3, e4, e5)
    return centre, 1j * moving / leg[23], knee + leg[4] * e5, lowest, (e2, e3, e4, e5), (t2, t3, t4, t5)
