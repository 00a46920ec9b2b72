"""Runs of the law (19) on servos that lag, by the equations, with the controller and the supervisor of the stack."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.loop.backend import Backend
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.reality.realistic_backend import RealisticBackend
from crawler_core.reality.reality import Reality
from crawler_studies.simulation.control_loop import ControlLoop
from crawler_studies.study.study_case import StudyCase
from sim_bridge.model_backend import ModelBackend, ModelSettings

ENCODER_COUNTS = 4096
VELOCITY_STEP_RAD_S = 0.024
MIN_RUN_TIME_S, MIN_CYCLES = 8.0, 8  # joint errors decay as exp(-0.8 t)
MEAN_CYCLES = 4  # at the end: a gait may repeat after two
# contacts from joint angles and velocities alone
ENCODERS_ALONE: Mapping[str, float | str] = {"contacts": "estimated", "odometry_gain": 0.0}


@dataclass(frozen=True)
class ServoRun:
    """A run on one kind of servo."""

    step: float  # mm a cycle, the mean of the last cycles; NaN where the run ended early
    ended: str  # why it ended early; empty: it did not
    modes_right: float  # share of the estimated contact modes that are right; NaN without estimates

    @property
    def text(self) -> str:
        """The step for a table."""
        return "falls" if self.ended else f"{self.step:.1f}"


def motors(bandwidth: float, delay: float) -> Reality:
    """Return servos of `bandwidth` (rad/s) that interpolate; the commands are `delay` (s) late.

    States that are late are the same to a law: all that it measures belongs to older setpoints.
    """
    return Reality(
        bandwidth=bandwidth,
        interpolated=True,
        command_delay=delay,
        encoder_counts=ENCODER_COUNTS,
        velocity_step=VELOCITY_STEP_RAD_S,
    )


def run_on_servos(omega: float, reality: Reality, rate: float, controller: Mapping[str, float | str]) -> ServoRun:
    """Run the default gait at `omega` (rad/s) and `rate` (Hz) under the law with these parameters.

    Raises UserError for a parameter that is not allowed.
    """
    case = StudyCase("three_link", "harmonic", {"gait": {"omega": omega}, "controller": controller}, "hybrid")
    spec, gait = case.at({})
    dt_ns = round(1e9 / rate)
    dt = dt_ns * 1e-9
    law = case.law_entry.build(spec, case.law_at({}), dt)
    servos = RealisticBackend(ModelBackend(spec, ModelSettings(), dt), spec, reality, dt)
    supervised = SupervisedBackend.start(spec, cast("Backend", servos), dt)  # its kind is that of the simulation
    loop = ControlLoop(spec, gait, law, supervised, dt_ns)
    cycles = max(MIN_CYCLES, math.ceil(MIN_RUN_TIME_S / gait.period))
    times, places, right = [], [], []
    try:
        for state in loop.run(math.ceil(cycles * gait.period / dt)):
            assert state.base is not None
            times.append(1e-9 * state.time_ns)
            places.append(state.base.position[0])
            right += [seen.mode is real.mode for seen, real in zip(law.estimated, state.contacts, strict=False)]
    except BackendFault as fault:
        return ServoRun(math.nan, f"after {times[-1]:.1f} s: {fault}", math.nan)
    start, end = np.interp([(cycles - MEAN_CYCLES) * gait.period, cycles * gait.period], times, places).tolist()
    return ServoRun(1e3 * (end - start) / MEAN_CYCLES, "", float(np.mean(right)) if right else math.nan)
