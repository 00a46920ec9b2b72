"""What the equations say of BOLT's running, as plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from crawler_core.motion import PeriodicMotion
from crawler_core.parameters import build
from crawler_core.robot import RobotSpec
from crawler_models.bolt.return_map import multipliers
from crawler_models.bolt.robot import Leg
from crawler_models.bolt.running import RunningParameters
from crawler_models.bolt.sampled import SampledRun, Start, simulate_sampled

STRIDES = 32  # of a run that is predicted; the last half are taken for its steady ones
STEADY = 0.02  # of the steady period and length: a stride that is so near them belongs to the steady run
MEASURES = {  # the largest of the steady strides
    "friction_needed": "friction",
    "slip_per_stride_m": "slip",
    "peak_power_W": "power",
    "peak_speed_rad_s": "rate",
    "peak_force_N": "force",
}


def robot_law(spec: RobotSpec) -> RunningParameters:
    """The law's parameters as the robot file has them. Raises UserError for one that is not allowed."""
    values: Mapping[str, Any] = spec.section("controller").get("running") or {}
    return build(RunningParameters, values, section="controller")


def predict_robot(spec: RobotSpec, motion: PeriodicMotion) -> dict[str, Any]:
    """`predict_running` under the robot file's own law."""
    return predict_running(spec, motion, robot_law(spec))


def predict_running(spec: RobotSpec, motion: PeriodicMotion, parameters: RunningParameters) -> dict[str, Any]:
    """The steady run under the law, from the robot file's start; `motion` says nothing of it, and is not used.

    Keys: step_length_m, speed_m_s, period_s, cycles_to_steady, valid, reason, those of `MEASURES`, peak_torque_N_m,
    flight_torque_N_m, least_forward_m_s (of the body), clearance_m, energy_per_stride_J, cost_of_transport, and
    floquet, the size of the largest multiplier. It is valid where every stride takes a turn of the crank.
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
        numbers["floquet"] = float(np.abs(multipliers(leg, parameters, run, crank.effort, crank.power)).max())
    return {
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
    return ""


def _until_steady(run: SampledRun, last: int) -> int:
    """How many strides it takes until all that follow are like the last ones."""
    off = np.zeros(len(run.strides), dtype=bool)
    for name in ("period", "distance"):
        steady = run.mean(name, last)
        off |= np.abs(run.column(name) - steady) > STEADY * abs(steady)
    return int(np.flatnonzero(off)[-1]) + 1 if off.any() else 0
