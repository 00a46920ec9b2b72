"""The law (20) with its state machine, compiled: `crawler_models.bolt.simulation.running` to the bit."""

from __future__ import annotations

import math

import numba
import numpy as np

from crawler_models.bolt.simulation.running import TURN_RAD, RunningParameters

STANCE, LANDABLE, SINCE, FROM, UNTIL, RATE, THEN, TURNS_AT = range(8)
MEMORY_WIDTH = 8


def pack_law(p: RunningParameters, torque: float, power: float) -> np.ndarray:
    """The law as the compiled functions take it; `torque` (N m) and `power` (W) are the motor's most."""
    alpha, lift_off = math.radians(p.touch_down), math.radians(p.lift_off)
    rates = (p.flight_rate, alpha, p.retraction_rate, p.stance_rate, lift_off)
    return np.array([p.stiffness, p.damping, p.rate_share, *rates, p.flight_torque, torque, power])


@numba.njit(cache=True, error_model="numpy")
def ahead(angle, mark):
    return mark + TURN_RAD * (math.ceil((angle - mark) / TURN_RAD) - 1)


@numba.njit(cache=True, error_model="numpy")
def begin(law, memory, time, angle, stance):
    memory[STANCE] = memory[LANDABLE] = 0.0
    memory[SINCE], memory[FROM] = time, angle
    if stance:
        memory[STANCE] = 1.0
        memory[UNTIL] = ahead(angle, law[7])
        memory[RATE] = memory[THEN] = law[6]
        memory[TURNS_AT] = time
    else:
        memory[LANDABLE] = 1.0
        memory[UNTIL] = ahead(angle, law[4])
        memory[RATE], memory[THEN] = law[3], law[5]
        memory[TURNS_AT] = time + (angle - memory[UNTIL]) / law[3]


@numba.njit(cache=True, error_model="numpy")
def reference(memory, time):
    if memory[STANCE] == 1.0 or time < memory[TURNS_AT]:
        return memory[FROM] - memory[RATE] * (time - memory[SINCE])
    return memory[UNTIL] - memory[THEN] * (time - memory[TURNS_AT])


@numba.njit(cache=True, error_model="numpy")
def torque_of(law, memory, time, angle, rate, on_ground):
    """One tick of the law: the foot's event, then the torque to hold."""
    if on_ground:
        if memory[STANCE] == 0.0 and memory[LANDABLE] == 1.0:
            begin(law, memory, time, angle, True)
    else:
        if memory[STANCE] == 1.0:
            begin(law, memory, time, angle, False)
        memory[LANDABLE] = 1.0
    if memory[STANCE] == 1.0 and angle <= memory[UNTIL]:
        begin(law, memory, time, angle, False)
        memory[LANDABLE] = 0.0
    falls = memory[RATE] if memory[STANCE] == 1.0 or time < memory[TURNS_AT] else memory[THEN]
    wanted = law[0] * (reference(memory, time) - angle) - law[1] * (rate + law[2] * falls)
    most = law[9] if memory[STANCE] == 1.0 else min(law[9], law[8])
    if abs(rate) * most > law[10]:
        most = law[10] / abs(rate)
    return min(max(wanted, -most), most)
