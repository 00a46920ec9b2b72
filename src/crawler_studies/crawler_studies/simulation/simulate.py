"""A robot under its law in a simulation, without ROS: the ring's parts in one process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import unknown_name
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.loop.backend_settings import robots_common, robots_own
from crawler_core.parameters import build, describe, parameter
from crawler_core.registry import Table
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Observation
from crawler_studies.simulation.control_loop import ControlLoop
from crawler_studies.study.study_case import StudyCase
from gait_generators.kinds.limit_check import check_limits
from sim_bridge.physics.engines import ENGINE_ENTRIES

SIMULATIONS: Table[BackendEntry] = Table("simulation", {"model": "sim_bridge.model_backend:ENTRY", **ENGINE_ENTRIES})


@dataclass(frozen=True)
class Tick:
    """What a simulation takes besides the backend's own settings."""

    rate: float = parameter(500.0, unit="Hz", low=10.0, high=4000.0, constant=True, doc="setpoints per second")


def simulation_settings(spec: RobotSpec, kind: str, values: Mapping[str, Any]) -> tuple[Any, float]:
    """The settings of the simulation `kind` and its rate (Hz): `values` of the section backend over the robot's own.

    Raises UserError for what is unknown or not allowed.
    """
    entry = SIMULATIONS[kind]
    known = {info.name for cls in (Tick, entry.settings) for info in describe(cls)} - {"gui"}
    for name in values:
        if name not in known:
            raise unknown_name("parameter of an evaluation", f"backend.{name}", (f"backend.{k}" for k in known))
    own = {name: value for name, value in values.items() if name != "rate"}
    rates = {**robots_common(spec, kind, entry.settings), **values}
    tick = build(Tick, {name: value for name, value in rates.items() if name == "rate"}, section="backend")
    return build(entry.settings, {**robots_own(spec, kind, entry.settings), **own}, section="backend"), tick.rate


def simulate(
    case: StudyCase, kind: str, values: Mapping[str, Any], seconds: float, progress: Callable[[float], None]
) -> list[Observation]:
    """Every state of the robot from its start, for so long; `progress` hears the time (s) after each.

    Raises UserError for what cannot be, and BackendFault where the run ends by itself.
    """
    spec, gait = case.at({})
    check_limits(spec, gait)
    case.law_entry.check(spec)
    settings, rate = simulation_settings(spec, kind, values)
    entry = SIMULATIONS[kind]
    entry.check(spec, settings)
    dt_ns = round(1e9 / rate)
    backend = entry.backend(spec, settings, dt_ns * 1e-9)
    law = case.law_entry.build(spec, case.law_at({}), dt_ns * 1e-9)
    try:
        loop = ControlLoop(spec, gait, law, backend, dt_ns)
        seen = [loop.seen]
        for _ in range(round(seconds * 1e9 / dt_ns)):
            seen.append(loop.tick())
            progress(seen[-1].time_ns * 1e-9)
        return seen
    finally:
        backend.close()
