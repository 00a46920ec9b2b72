"""Simulated runs of a robot under its law, without ROS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import unknown_name
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.loop.backend_settings import common_robot_settings, own_robot_settings
from crawler_core.parameters import build, describe, parameter
from crawler_core.registry import LazyRegistry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Observation
from crawler_studies.simulation.control_loop import ControlLoop
from crawler_studies.study.study_case import StudyCase
from gait_generators.kinds.limit_check import check_limits
from sim_bridge.physics.engines import ENGINE_ENTRIES

SIMULATIONS: LazyRegistry[BackendEntry] = LazyRegistry(
    "simulation", {"model": "sim_bridge.model_backend:BACKEND_ENTRY", **ENGINE_ENTRIES}
)


@dataclass(frozen=True)
class TickSettings:
    """The setting of a simulation that is not the backend's own."""

    rate: float = parameter(500.0, unit="Hz", lower=10.0, upper=4000.0, constant=True, doc="setpoints per second")


def simulation_settings(spec: RobotSpec, kind: str, values: Mapping[str, Any]) -> tuple[Any, float]:
    """Return the settings of the simulation `kind` and its rate (Hz): `values` of the section backend override those
    of the robot file.

    Raises UserError for a value that is unknown or not allowed.
    """
    entry = SIMULATIONS[kind]
    known = {info.name for cls in (TickSettings, entry.settings) for info in describe(cls)} - {"gui"}
    for name in values:
        if name not in known:
            raise unknown_name("parameter of an evaluation", f"backend.{name}", (f"backend.{k}" for k in known))
    own = {name: value for name, value in values.items() if name != "rate"}
    rates = {**common_robot_settings(spec, kind, entry.settings), **values}
    ticks = build(TickSettings, {name: value for name, value in rates.items() if name == "rate"}, section="backend")
    settings: Any = build(entry.settings, {**own_robot_settings(spec, kind, entry.settings), **own}, section="backend")
    return settings, ticks.rate


@contextmanager
def start_loop(case: StudyCase, kind: str, values: Mapping[str, Any], rate: float = 0.0) -> Iterator[ControlLoop]:
    """Start the simulation `kind`, at its own rate unless a `rate` (Hz) is given, and close it at the end.

    `values` are of the section backend. Raises UserError for a case that cannot run, and BackendFault.
    """
    spec, gait = case.at({})
    check_limits(spec, gait)
    case.law_entry.check(spec)
    settings, own_rate = simulation_settings(spec, kind, values)
    entry = SIMULATIONS[kind]
    entry.check(spec, settings)
    dt_ns = round(1e9 / (rate or own_rate))
    law = case.law_entry.build(spec, case.law_at({}), dt_ns * 1e-9)
    backend = entry.backend(spec, settings, dt_ns * 1e-9)
    try:
        yield ControlLoop(spec, gait, law, backend, dt_ns)
    finally:
        backend.close()


def simulate(
    case: StudyCase, kind: str, values: Mapping[str, Any], seconds: float, progress: Callable[[float], None]
) -> list[Observation]:
    """Return every state of a run of `seconds` from its start. `progress` takes the time (s) of each state.

    Raises UserError for a case that cannot run, and BackendFault where the run ends early.
    """
    states = []
    with start_loop(case, kind, values) as loop:
        for state in loop.run(round(seconds * 1e9 / loop.dt_ns)):
            states.append(state)
            progress(state.time_ns * 1e-9)
    return states
