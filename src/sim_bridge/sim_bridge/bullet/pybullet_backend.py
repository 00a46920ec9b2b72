"""The PyBullet backend: rigid bodies on frictional ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.parameters import parameter
from sim_bridge.bullet.bullet_world import BulletWorld
from sim_bridge.physics.physics_backend import PhysicsBackend, PhysicsSettings
from sim_bridge.physics.world import World


@dataclass(frozen=True)
class PybulletSettings(PhysicsSettings):
    solver_iterations: int = parameter(
        300, lower=10, upper=10000, constant=True, doc="at most, per step; few steps need as many"
    )
    gui: bool = parameter(False, constant=True, doc="open PyBullet's window")


class PybulletBackend(PhysicsBackend):
    kind: ClassVar[str] = "pybullet"

    def make_world(self, torque_driven: Sequence[int], step: float) -> World:
        settings: Any = self._settings
        return BulletWorld(
            self._spec,
            torque_driven=torque_driven,
            step=step,
            solver_iterations=settings.solver_iterations,
            gui=settings.gui,
        )


BACKEND_ENTRY = BackendEntry("sim_bridge", "pybullet_backend", PybulletBackend, PybulletSettings)
