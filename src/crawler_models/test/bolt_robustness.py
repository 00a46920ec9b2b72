"""Margins of a run: how far each parameter may change before a stride breaks its requirements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import NamedTuple

from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.simulation.running import RunningParameters
from crawler_models.bolt.simulation.sampled_run import SampledRun, Start, simulate_sampled

TRIAL_STRIDES = 16
MAX_CHANGE_PERCENT = 30  # the furthest that is tried, either way
MASS_NAMES = ("m_1", "m_2", "m_3", "m_4", "m_5", "m_b")
LEG_PARAMETERS = (
    "mu",
    "k",
    "d",
    "I_r",
    "mass",
    *MASS_NAMES,
    "l_1",
    "l_2",
    "l_3",
    "l_4",
    "l_5",
    "l_c",
    "l_s",
    "l_f",
    "l_t",
    "g",
)
LAW_PARAMETERS = (
    "stiffness",
    "damping",
    "rate_share",
    "flight_rate",
    "retraction_rate",
    "stance_rate",
    "flight_torque",
)
START_PARAMETERS = ("rate", "vx", "vz")


class Promise(NamedTuple):
    """Requirements on every stride of a run on a real floor."""

    speed: float = 1.0  # m/s at least, in the mean
    slip: float = 5e-4  # m at most
    power: float = 1350.0  # W at most
    flight_torque: float = 30.0  # N m at most


def broken(run: SampledRun, promise: Promise = Promise(), strides: int = TRIAL_STRIDES) -> str:  # noqa: B008
    """The first promise that the run breaks, as a sentence, or nothing."""
    if run.reason or len(run.strides) < strides:
        return run.reason or "too few strides"
    turns = (run.column("crank")[0] - run.column("crank")[-1]) / (math.tau * (strides - 1))
    for value, what, bad in (
        (turns, "turns of the crank in a stride", abs(turns - 1.0) > 0.02),
        (run.speed(), "m/s", run.speed() < promise.speed),
        (1e3 * run.largest("slip"), "mm of slip in a stride", run.largest("slip") >= promise.slip),
        (run.least("least_vx"), "m/s is the body's least speed", run.least("least_vx") <= 0.0),
        (run.largest("power"), "W", run.largest("power") > promise.power),
        (run.largest("torque_flight"), "N m in flight", run.largest("torque_flight") > promise.flight_torque),
    ):
        if bad:
            return f"{value:.4g} {what}"
    return ""


def changed(
    name: str, factor: float, leg: Leg, law: RunningParameters, start: Start
) -> tuple[Leg, RunningParameters, Start]:
    """Scale one of `LEG_PARAMETERS`, `LAW_PARAMETERS` and `START_PARAMETERS`; "mass" is all masses at once."""
    if name == "mass":
        return replace(leg, **{m: getattr(leg, m) * factor for m in MASS_NAMES}), law, start
    of = next(part for part in (leg, law, start) if name in (field.name for field in fields(part)))
    new = replace(of, **{name: getattr(of, name) * factor})
    return tuple(new if part is of else part for part in (leg, law, start))  # type: ignore[return-value]


def reach(
    leg: Leg,
    law: RunningParameters,
    start: Start,
    names: Sequence[str] = (*LEG_PARAMETERS, *LAW_PARAMETERS, *START_PARAMETERS),
    promise: Promise = Promise(),  # noqa: B008
    most: int = MAX_CHANGE_PERCENT,
) -> dict[str, tuple[int, str, int, str]]:
    """For each name by how many whole percent it may be lower, what breaks then, how many higher, what breaks then.

    Every percent on the way is tried, up to `most`; the reason is empty where none of them breaks anything.
    """
    found = {}
    for name in names:
        row: list[int | str] = []
        for sign in (-1, 1):
            reason, percent = "", 0
            while percent < most and not reason:
                run = simulate_sampled(
                    *changed(name, 1.0 + sign * (percent + 1) / 100.0, leg, law, start), TRIAL_STRIDES
                )
                reason = broken(run, promise)
                percent += 0 if reason else 1
            row += [percent, reason]
        found[name] = tuple(row)
    return found  # type: ignore[return-value]
