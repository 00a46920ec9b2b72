"""A four-bar leg: the foot and its first two derivatives by the crank's angle."""

from __future__ import annotations

import math
from typing import NamedTuple

import numba

from crawler_models.miniaq.equations.quadruped import Quadruped


class Leg(NamedTuple):
    """Numbers that `four_bar.pins` uses, as complex numbers x + i z (m)."""

    A: complex
    l_2: float
    l_3: float
    square: float  # m², l_3² - l_4²
    shin: complex  # from the coupler DC to CE


def leg_of(robot: Quadruped) -> Leg:
    """All four legs are alike."""
    bent = complex(math.cos(robot.theta_35), -math.sin(robot.theta_35))
    l_2, l_3, l_4, l_5 = float(robot.l_2), float(robot.l_3), float(robot.l_4), float(robot.l_5)
    return Leg(complex(robot.x_A, robot.z_A), l_2, l_3, l_3**2 - l_4**2, l_5 / l_3 * bent)


@numba.njit(cache=True, error_model="numpy")
def foot(leg, crank):
    """E from B, dE/dcrank and its derivative; NaN where the chain does not close."""
    D = leg.l_2 * complex(math.cos(crank), -math.sin(crank))
    D1, D2 = complex(D.imag, -D.real), -D  # an angle turns it clockwise
    way = leg.A - D
    # the square of the distance D to A, and its derivatives
    far = way.real**2 + way.imag**2
    far1 = -2.0 * (way.real * D1.real + way.imag * D1.imag)
    far2 = 2.0 * (leg.l_2**2 - way.real * D2.real - way.imag * D2.imag)
    inverse = 1.0 / far
    inverse1 = -far1 * inverse**2
    inverse2 = (2.0 * far1**2 * inverse - far2) * inverse**2
    # C = D + way (along - i aside), where the circles about D and A meet
    along, along1, along2 = 0.5 + 0.5 * leg.square * inverse, 0.5 * leg.square * inverse1, 0.5 * leg.square * inverse2
    reach = leg.l_3**2
    aside = math.sqrt(reach * inverse - along**2)
    per_aside = 1.0 / aside
    aside1 = (0.5 * reach * inverse1 - along * along1) * per_aside
    aside2 = (0.5 * reach * inverse2 - along1**2 - along * along2 - aside1**2) * per_aside
    to, to1, to2 = complex(along, -aside), complex(along1, -aside1), complex(along2, -aside2)
    DC, DC1 = way * to, way * to1 - D1 * to
    DC2 = way * to2 - 2.0 * D1 * to1 - D2 * to
    turned = 1.0 + leg.shin  # E = C + shin DC = D + (1 + shin) DC
    return D + turned * DC, D1 + turned * DC1, D2 + turned * DC2
