"""Predict BOLT's steady running from the equations, as plain numbers."""

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
from crawler_models.bolt.simulation.return_map import multipliers
from crawler_models.bolt.simulation.running import RunningParameters
from crawler_models.bolt.simulation.sampled_run import SampledRun, Start, simulate_sampled

PREDICTED_STRIDES = 32  # of a run that is predicted; the last half are taken for its steady ones
TRIAL_STRIDES = 16  # strides of a run on a trial floor; the first half may settle
SLIP_LIMIT_M = 5e-4  # m in a stride: a foot that slides further is not carried
MIN_FRICTION, MAX_FRICTION = 0.01, 100.0  # frictions that are looked at
STEADY_TOLERANCE = 0.02  # of the steady period and length: a stride that is so near them belongs to the steady run
COLUMN_OF_MEASURE = {  # the largest of the steady strides
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


def predict_running(spec: RobotSpec, motion: PeriodicMotion | None, parameters: RunningParameters) -> dict[str, Any]:
    """The steady run under the law, from the robot file's start; `motion` says nothing of it, and is not used.

    Keys: step_length_m, speed_m_s, period_s, cycles_to_steady, valid, reason, those of `COLUMN_OF_MEASURE`,
    peak_torque_N_m, flight_torque_N_m, least_forward_m_s (of the body), clearance_m, energy_per_stride_J,
    cost_of_transport, friction_needed (`least_friction`), and floquet, the size of the largest multiplier, NaN without
    a measured contact. Sensors show the exact contact here. The run is valid if every stride takes one turn of the
    crank and goes forward by more than the foot slips.
    """
    leg, crank = Leg.from_parameters(spec.parameters), spec.actuated[0]
    run = simulate_sampled(leg, parameters, Start.of(spec), PREDICTED_STRIDES, torque=crank.effort, power=crank.power)
    last = PREDICTED_STRIDES // 2
    reason = run.reason or _irregular(run, last)
    numbers = {key: run.largest(column, last) for key, column in COLUMN_OF_MEASURE.items()}
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
        if parameters.contact not in ("angle", "none"):  # their reference remembers the stride before
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
    """Return the reason why the last strides are not a steady run, or an empty string."""
    turns = abs(run.column("crank")[-1] - run.column("crank")[-last]) / (2.0 * math.pi * (last - 1))
    if abs(turns - 1.0) > 0.02:
        return f"its strides take {turns:.2f} turns of the crank in the mean: one that runs takes one"
    forward, slip = run.mean("distance", last), run.mean("slip", last)
    if forward <= slip:
        return f"its foot slides: by {1e3 * slip:.0f} mm in a stride that takes the body {1e3 * forward:.0f} mm forward"
    return ""


def least_friction(leg: Leg, parameters: RunningParameters, start: Start, torque: float, power: float) -> float:
    """Find the least floor friction with less than `SLIP_LIMIT_M` of slip in a stride; NaN if there is none.

    To 2 %. More friction than the least is taken to do no harm.
    """

    def carries(mu: float) -> bool:
        run = simulate_sampled(replace(leg, mu=mu), parameters, start, TRIAL_STRIDES, torque=torque, power=power)
        last = TRIAL_STRIDES // 2
        return not (run.reason or _irregular(run, last)) and run.largest("slip", last) < SLIP_LIMIT_M

    low, high = MIN_FRICTION, leg.mu
    while not carries(high):
        low, high = high, 2.0 * high
        if high > MAX_FRICTION:
            return math.nan
    while high > 1.02 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if carries(middle) else (middle, high)
    return high


def _until_steady(run: SampledRun, last: int) -> int:
    """Count the strides until all later ones equal the last ones."""
    off = np.zeros(len(run.strides), dtype=bool)
    for name in ("period", "distance"):
        steady = run.mean(name, last)
        off |= np.abs(run.column(name) - steady) > STEADY_TOLERANCE * abs(steady)
    return int(np.flatnonzero(off)[-1]) + 1 if off.any() else 0
