"""The control law (20) in continuous time; `crawler_models.bolt.simulation.running` is the same, sampled."""

from __future__ import annotations

import math
from typing import NamedTuple

from numba import njit

TURN_RAD = 2.0 * math.pi


class LawNumbers(NamedTuple):
    """Its parameters, in radians, and the motor's most."""

    stiffness: float
    damping: float
    rate_share: float
    flight_rate: float
    touch_down: float
    retraction_rate: float
    stance_rate: float
    lift_off: float
    flight_torque: float
    torque: float
    power: float


class Phase(NamedTuple):
    """Stance, the ramp of flight, or what follows it; and the reference since it began."""

    stance: bool
    since: float  # s
    origin: float  # rad, the reference then
    rate: float  # rad/s, at which it falls
    until: float  # rad, of the crank: where stance ends
    ends: float  # s, when the ramp of flight ends


@njit(cache=True, error_model="numpy")
def ahead(angle, mark):
    """The first of the angles mark + 2 pi k that a crank which turns backward reaches from `angle`."""
    return mark + TURN_RAD * (math.ceil((angle - mark) / TURN_RAD) - 1.0)


@njit(cache=True, error_model="numpy")
def begin(law, stance, time, angle):
    """The phase that begins now: the reference restarts from the crank's angle."""
    if stance:
        return Phase(True, time, angle, law.stance_rate, ahead(angle, law.lift_off), math.inf)
    ends = time + (angle - ahead(angle, law.touch_down)) / law.flight_rate
    return Phase(False, time, angle, law.flight_rate, -math.inf, ends)


@njit(cache=True, error_model="numpy")
def after_ramp(law, phase):
    """The phase that waits for the ground, once the ramp of flight has ended."""
    origin = phase.origin - phase.rate * (phase.ends - phase.since)
    return Phase(False, phase.ends, origin, law.retraction_rate, -math.inf, math.inf)


@njit(cache=True, error_model="numpy")
def torque(law, phase, time, angle, rate):
    """tau (N m); theta_1d (rad); and whether tau is bounded from below, -1, from above, 1, or not, 0."""
    reference = phase.origin - phase.rate * (time - phase.since)
    wanted = law.stiffness * (reference - angle) - law.damping * (rate + law.rate_share * phase.rate)  # (20)
    most = law.torque if phase.stance else min(law.torque, law.flight_torque)
    if abs(rate) * most > law.power:
        most = law.power / abs(rate)
    if wanted > most:
        return most, reference, 1
    if wanted < -most:
        return -most, reference, -1
    return wanted, reference, 0
