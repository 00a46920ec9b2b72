"""The PyBullet backend: rigid bodies on frictional ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from sim_bridge.bullet.bullet_world import BulletWorld
from sim_bridge.physics.physics_backend import PhysicsBackend, PhysicsSettings
from sim_bridge.physics.world import World


@dataclass(frozen=True)
class PyBulletSettings(PhysicsSettings):
    """Settings of PyBullet's solver and window."""

    solver_iterations: int = parameter(
        300, lower=10, upper=10000, constant=True, doc="at most, per step; few steps need as many"
    )
    gui: bool = parameter(False, constant=True, doc="open PyBullet's window")


class PyBulletBackend(PhysicsBackend):
    """Physics by PyBullet."""

    kind: ClassVar[str] = "pybullet"

    def __init__(self, spec: RobotSpec, settings: PyBulletSettings, dt: float) -> None:
        """`dt` is the tick's length in seconds."""
        super().__init__(spec, settings, dt)
        self._engine = settings

    def make_world(self, torque_driven: Sequence[int], step: float) -> World:
        return BulletWorld(
            self._spec,
            torque_driven=torque_driven,
            step=step,
            solver_iterations=self._engine.solver_iterations,
            gui=self._engine.gui,
        )


ENTRY = BackendEntry("sim_bridge", "pybullet_backend", PyBulletBackend, PyBulletSettings)
