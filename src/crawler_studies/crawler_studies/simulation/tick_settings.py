"""The simulations that run in one process, and their settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import unknown_name
from crawler_core.loop.backend import Backend
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.loop.backend_sensors import make_robot_sensors
from crawler_core.loop.backend_settings import (
    common_robot_settings,
    own_robot_settings,
    reality_setting,
    seed_setting,
)
from crawler_core.parameters import build, describe, parameter
from crawler_core.reality.realistic_backend import make_realistic
from crawler_core.registry import LazyRegistry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.robot_sensors import RobotSensors
from crawler_models.estimation.robot_estimator import RobotEstimator
from hybrid_controller.laws.law import Law
from sim_bridge.physics.engines import ENGINE_ENTRIES

SIMULATIONS: LazyRegistry[BackendEntry] = LazyRegistry(
    "simulation",
    {
        "model": "sim_bridge.model_backend:BACKEND_ENTRY",
        **ENGINE_ENTRIES,
        "mock": "sim_bridge.mock.stepped_mock_backend:BACKEND_ENTRY",
        "emulated": "hw_drivers.emulation.emulated_backend:BACKEND_ENTRY",
    },
)


@dataclass(frozen=True)
class TickSettings:
    """The settings of a simulation that are not the backend's own."""

    rate: float = parameter(500.0, unit="Hz", lower=10.0, upper=4000.0, constant=True, doc="setpoints per second")
    reality: str = reality_setting()
    seed: int = seed_setting()
    estimator: str = parameter("", constant=True, doc="of odometry; empty: the robot's own, for a law that reads it")

    def make_realistic(self, backend: Backend, spec: RobotSpec, dt: float) -> Backend:
        """Return the backend with these imperfections. Raises UserError."""
        return make_realistic(backend, spec, self.reality, dt, self.seed)

    def make_sensors(self, backend: Backend, spec: RobotSpec, law: Law) -> RobotSensors | None:
        """Return the robot's sensors on that backend, for a law or an estimator; else None, which is faster."""
        is_read = law.reads_sensors or self._estimates(law)
        return make_robot_sensors(spec, backend, self.reality, self.seed) if is_read else None

    def make_estimator(self, spec: RobotSpec, law: Law) -> RobotEstimator | None:
        """Return the estimator of the base, for a law that reads odometry or where one is chosen. Raises UserError."""
        return RobotEstimator(spec, self.estimator) if self._estimates(law) else None

    def _estimates(self, law: Law) -> bool:
        return bool(law.reads_odometry or self.estimator)


def simulation_settings(spec: RobotSpec, kind: str, values: Mapping[str, Any]) -> tuple[Any, TickSettings]:
    """Return the settings of the simulation `kind` and of its ticks: `values` of the section backend override those
    of the robot file.

    Raises UserError for a value that is unknown or not allowed.
    """
    entry = SIMULATIONS[kind]
    known = {info.name for cls in (TickSettings, entry.settings) for info in describe(cls)} - {"gui"}
    for name in values:
        if name not in known:
            raise unknown_name("parameter of an evaluation", f"backend.{name}", (f"backend.{k}" for k in known))
    of_ticks = {info.name for info in describe(TickSettings)}
    own = {name: value for name, value in values.items() if name not in of_ticks}
    common = {**common_robot_settings(spec, kind, entry.settings), **values}
    ticks = build(TickSettings, {name: common[name] for name in common if name in of_ticks}, section="backend")
    settings: Any = build(entry.settings, {**own_robot_settings(spec, kind, entry.settings), **own}, section="backend")
    return settings, ticks
