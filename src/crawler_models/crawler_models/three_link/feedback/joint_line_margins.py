"""Stability margins of the second line of (19), where it feeds measured joints back round servos that lag.

The law integrates its joint acceleration twice, and a servo passes the resulting setpoint on to the joint:

    L(s) = (K_D s + K_P) / s^2 * W^2 / (s + W)^2 * exp(-s delay)
"""

from __future__ import annotations

import cmath
import math
from typing import NamedTuple

from crawler_models.three_link.feedback.feedback_law import FeedbackLaw

_BISECTIONS = 80


class Margins(NamedTuple):
    """Distance of a loop from instability."""

    crossover: float  # rad/s, where the loop's gain is 1
    phase: float  # rad; the loop is unstable where it is negative
    delay: float  # s that may be added before the loop is unstable; negative where it is unstable already


def joint_line_margins(law: FeedbackLaw, bandwidth: float, delay: float) -> Margins:
    """Return the margins for a critically damped servo of `bandwidth` (rad/s, may be infinite).

    `delay` (s) is all delay round the loop: of commands, of states, and half a tick, for which a setpoint holds on
    average before it is reached. Raises ValueError where both gains are zero: there is no loop.
    """
    if law.k_p <= 0.0 and law.k_d <= 0.0:
        raise ValueError("k_p and k_d are both 0: the joint line has no loop. Give one of them a positive value.")
    low, high = 1e-6, 10.0 * (law.k_d + math.sqrt(law.k_p) + 1.0)  # rad/s: the gain falls from above 1 to below it
    for _ in range(_BISECTIONS):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if abs(_loop(law, bandwidth, middle)) > 1.0 else (low, middle)
    crossover = math.sqrt(low * high)
    lag = 2.0 * math.atan(crossover / bandwidth) + delay * crossover
    lead = math.atan2(law.k_d * crossover, law.k_p)
    phase = lead - lag  # the two integrators alone are at -180 degrees
    return Margins(crossover, phase, phase / crossover)


def _loop(law: FeedbackLaw, bandwidth: float, omega: float) -> complex:
    s = complex(0.0, omega)
    servo = 1.0 if cmath.isinf(bandwidth) else bandwidth**2 / (s + bandwidth) ** 2
    return (law.k_d * s + law.k_p) / s**2 * servo
