"""What the equations say of BOLT's running, as plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from crawler_core.motion import PeriodicMotion
from crawler_core.parameters import build
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.runs.return_map import multipliers
from crawler_models.bolt.runs.running import RunningParameters
from crawler_models.bolt.runs.sampled_run import SampledRun, Start, simulate_sampled

STRIDES = 32  # of a run that is predicted; the last half are taken for its steady ones
CARRIED = 16  # strides of a run that tells whether a floor carries it, of which half may settle
SLIPS = 5e-4  # m in a stride: a foot that slides further is not carried
SLIPPERIEST, ROUGHEST = 0.01, 100.0  # frictions that are looked at
STEADY = 0.02  # of the steady period and length: a stride that is so near them belongs to the steady run
MEASURES = {  # the largest of the steady strides
    "friction_used": "used",
    "slip_per_stride_m": "slip",
    "peak_power_W": "power",
    "peak_speed_rad_s": "rate",
    "peak_force_N": "force",
}


def robot_law(spec: RobotSpec) -> RunningParameters:
    """The law's parameters as the robot file has them. Raises UserError for one that is not allowed."""
    values: Mapping[str, Any] = spec.section("controller").get("running") or {}
    return build(RunningParameters, values, section="controller")


def predict_running(spec: RobotSpec, motion: PeriodicMotion, parameters: RunningParameters) -> dict[str, Any]:
    """The steady run under the law, from the robot file's start; `motion` says nothing of it, and is not used.

    Keys: step_length_m, speed_m_s, period_s, cycles_to_steady, valid, reason, those of `MEASURES`, peak_torque_N_m,
    flight_torque_N_m, least_forward_m_s (of the body), clearance_m, energy_per_stride_J, cost_of_transport,
    friction_needed (`least_friction`), and floquet, the size of the largest multiplier. It is valid where every stride
    takes a turn of the crank and goes forward by more than the foot slips.
    """
    leg, crank = Leg.from_parameters(spec.parameters), spec.actuated[0]
    run = simulate_sampled(leg, parameters, Start.of(spec), STRIDES, torque=crank.effort, power=crank.power)
    last = STRIDES // 2
    reason = run.reason or _irregular(run, last)
    numbers = {key: run.largest(column, last) for key, column in MEASURES.items()}
    length, work = run.mean("distance", last), run.mean("work", last)
    torque = run.largest("torque_flight", last)
    numbers |= {
        "step_length_m": length,
        "speed_m_s": run.speed(last),
        "period_s": run.mean("period", last),
        "peak_torque_N_m": max(torque, run.largest("torque_stance", last)),
        "flight_torque_N_m": torque,
        "least_forward_m_s": run.least("least_vx", last),
        "clearance_m": run.least("clearance", last),
        "energy_per_stride_J": work,
        "cost_of_transport": work / (leg.mass * leg.g * abs(length)) if leg.g * length else math.nan,
    }
    if reason:
        numbers = dict.fromkeys(numbers, math.nan)
    else:
        numbers["friction_needed"] = least_friction(leg, parameters, Start.of(spec), crank.effort, crank.power)
        numbers["floquet"] = float(np.abs(multipliers(leg, parameters, run, crank.effort, crank.power)).max())
    return {
        "friction_needed": math.nan,
        "floquet": math.nan,
        **numbers,
        "cycles_to_steady": 0 if reason else _until_steady(run, last),
        "valid": not reason,
        "reason": f"{reason[0].upper()}{reason[1:]}." if reason else "",
    }


def _irregular(run: SampledRun, last: int) -> str:
    """What is wrong with strides that should be steady, or nothing."""
    turns = abs(run.column("crank")[-1] - run.column("crank")[-last]) / (2.0 * math.pi * (last - 1))
    if abs(turns - 1.0) > 0.02:
        return f"its strides take {turns:.2f} turns of the crank in the mean: one that runs takes one"
    forward, slip = run.mean("distance", last), run.mean("slip", last)
    if forward <= slip:
        return f"its foot slides: by {1e3 * slip:.0f} mm in a stride that takes the body {1e3 * forward:.0f} mm forward"
    return ""


def least_friction(leg: Leg, parameters: RunningParameters, start: Start, torque: float, power: float) -> float:
    """The least friction of a floor on which the steady run slips by less than `SLIPS` in a stride; NaN where none.

    To 2 %. More friction than the least is taken to do no harm.
    """

    def carries(mu: float) -> bool:
        run = simulate_sampled(replace(leg, mu=mu), parameters, start, CARRIED, torque=torque, power=power)
        last = CARRIED // 2
        return not (run.reason or _irregular(run, last)) and run.largest("slip", last) < SLIPS

    low, high = SLIPPERIEST, leg.mu
    while not carries(high):
        low, high = high, 2.0 * high
        if high > ROUGHEST:
            return math.nan
    while high > 1.02 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if carries(middle) else (middle, high)
    return high


def _until_steady(run: SampledRun, last: int) -> int:
    """How many strides it takes until all that follow are like the last ones."""
    off = np.zeros(len(run.strides), dtype=bool)
    for name in ("period", "distance"):
        steady = run.mean(name, last)
        off |= np.abs(run.column(name) - steady) > STEADY * abs(steady)
    return int(np.flatnonzero(off)[-1]) + 1 if off.any() else 0
