"""The MuJoCo backend: rigid bodies on frictional ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.parameters import parameter
from sim_bridge.mujoco.mujoco_world import MujocoWorld
from sim_bridge.physics.physics_backend import PhysicsBackend, PhysicsSettings
from sim_bridge.physics.world import World


@dataclass(frozen=True)
class MujocoSettings(PhysicsSettings):
    physics_rate: float = parameter(
        4000.0, unit="Hz", lower=100.0, upper=20000.0, constant=True, doc="steps per second, at least one per tick"
    )


class MujocoBackend(PhysicsBackend):
    kind: ClassVar[str] = "mujoco"

    def make_world(self, torque_driven: Sequence[int], step: float) -> World:
        return MujocoWorld(self._spec, torque_driven=torque_driven, step=step)


BACKEND_ENTRY = BackendEntry("sim_bridge", "mujoco_backend", MujocoBackend, MujocoSettings)
