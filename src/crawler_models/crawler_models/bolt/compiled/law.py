"""The law (20) with its state machine, compiled: `crawler_models.bolt.simulation.running` to the bit.

Contact from a sensor is the exact contact here.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from crawler_models.bolt.simulation.running import MOVING_SHARE, STALL_TIME_S, TURN_RAD, RunningParameters

STANCE, LANDABLE, TIME, REFERENCE, UNTIL, PACE, CRUISES, STALLED_SINCE = range(8)
MEMORY_WIDTH = 8
EXACT, BY_ANGLE, UNKNOWN = 0.0, 1.0, 2.0  # contact
SOURCE_CODES = {"angle": BY_ANGLE, "none": UNKNOWN}


def pack_law(p: RunningParameters, torque: float, power: float) -> np.ndarray:
    """The law as the compiled functions take it; `torque` (N m) and `power` (W) are the motor's most."""
    p = p.in_force
    alpha, lift_off, contact_end = math.radians(p.touch_down), math.radians(p.lift_off), math.radians(p.contact_end)
    contact_width = (math.radians(p.contact_begin) - contact_end) % TURN_RAD
    ramps = (p.flight_rate, alpha, p.retraction_rate, p.stance_rate, lift_off)
    limits = (min(torque, p.flight_torque), min(torque, p.stance_torque), power)
    start = (p.start_time, math.radians(p.max_lead))
    contact = (SOURCE_CODES.get(p.contact, EXACT), contact_end, contact_width)
    cruise = (p.cruise_rate, p.cruise_stiffness, p.cruise_damping)
    return np.array([p.stiffness, p.damping, p.rate_share, *ramps, *limits, *start, *contact, *cruise])


@numba.njit(cache=True, error_model="numpy")
def ahead(angle, mark):
    return mark + TURN_RAD * (math.ceil((angle - mark) / TURN_RAD) - 1)


@numba.njit(cache=True, error_model="numpy")
def rate_of(law, memory):
    """The rate of the phase at full pace."""
    if memory[CRUISES] == 1.0:
        return law[16]
    if memory[STANCE] == 1.0:
        return law[6]
    return law[3] if memory[REFERENCE] > memory[UNTIL] else law[5]


@numba.njit(cache=True, error_model="numpy")
def fallen(law, memory, seconds):
    """The reference after `seconds` at full pace."""
    if memory[CRUISES] == 1.0:
        return memory[REFERENCE] - law[16] * seconds
    if memory[STANCE] == 1.0:
        return memory[REFERENCE] - law[6] * seconds
    ramp = max(0.0, memory[REFERENCE] - memory[UNTIL]) / law[3]
    if seconds <= ramp:
        return memory[REFERENCE] - law[3] * seconds
    return min(memory[REFERENCE], memory[UNTIL]) - law[5] * (seconds - ramp)


@numba.njit(cache=True, error_model="numpy")
def fall(law, memory, time):
    """Let the reference fall until `time`."""
    passed = time - memory[TIME]
    memory[REFERENCE] = fallen(law, memory, memory[PACE] * passed)
    if memory[PACE] < 1.0:
        memory[PACE] = min(1.0, memory[PACE] + passed / law[11])
    memory[TIME] = time


@numba.njit(cache=True, error_model="numpy")
def begin(law, memory, time, angle, stance):
    memory[STANCE], memory[LANDABLE] = (1.0, 0.0) if stance else (0.0, 1.0)
    memory[TIME], memory[REFERENCE], memory[STALLED_SINCE] = time, angle, math.inf
    memory[UNTIL] = ahead(angle, law[7] if stance else law[4])


@numba.njit(cache=True, error_model="numpy")
def start(law, memory, time, angle, rate, stance):
    begin(law, memory, time, angle, stance)
    share = -rate / max(rate_of(law, memory), 1e-9)
    memory[PACE] = 1.0 if share >= MOVING_SHARE or law[11] == 0.0 else max(share, 0.0)


@numba.njit(cache=True, error_model="numpy")
def observe(law, memory, time, angle, on_ground):
    """Take the foot's contact, or tell it by the crank's angle."""
    fall(law, memory, time)
    if law[13] == UNKNOWN:
        memory[CRUISES], memory[STANCE], memory[LANDABLE] = 1.0, 0.0, 1.0
        return
    if law[13] == BY_ANGLE:
        on_ground = (angle - law[14]) % TURN_RAD < law[15]
    if on_ground:
        if memory[STANCE] == 0.0 and memory[LANDABLE] == 1.0:
            begin(law, memory, time, angle, True)
    else:
        if memory[STANCE] == 1.0:
            begin(law, memory, time, angle, False)
        memory[LANDABLE] = 1.0


@numba.njit(cache=True, error_model="numpy")
def torque_of(law, memory, time, angle, rate, on_ground):
    """One tick of the law: the foot's event, then the torque to hold."""
    observe(law, memory, time, angle, on_ground)
    lead = memory[REFERENCE] - angle
    waits = not abs(lead) < law[12]
    if waits:
        memory[REFERENCE] = angle + math.copysign(law[12], lead)
    if memory[STANCE] == 1.0 and angle <= memory[UNTIL]:
        begin(law, memory, time, angle, False)
        memory[LANDABLE] = 0.0
    falls = memory[PACE] * rate_of(law, memory)
    memory[STALLED_SINCE] = min(memory[STALLED_SINCE], time) if waits and -rate < MOVING_SHARE * falls else math.inf
    if time - memory[STALLED_SINCE] > STALL_TIME_S:
        start(law, memory, time, angle, rate, memory[STANCE] == 1.0)
        falls = memory[PACE] * rate_of(law, memory)
    lead = memory[REFERENCE] - angle
    if memory[CRUISES] == 1.0:
        wanted = law[17] * lead - law[18] * (rate + falls)
    else:
        wanted = law[0] * lead - law[1] * (rate + law[2] * falls)
    most = law[9] if memory[STANCE] == 1.0 or memory[CRUISES] == 1.0 else law[8]
    if abs(rate) * most > law[10]:
        most = law[10] / abs(rate)
    return min(max(wanted, -most), most)
