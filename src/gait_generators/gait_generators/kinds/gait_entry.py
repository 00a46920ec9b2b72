"""Registry entry of a gait; each gait module has one or more, named in the gait registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.interface.velocity_map import MakeVelocityMap
from gait_generators.kinds.gait import Gait


@dataclass(frozen=True)
class GaitEntry:
    parameters: type  # a dataclass of crawler_core parameters
    build: Callable[[RobotSpec, Any], Gait]
    joints: int | None = None  # number of actuated joints that it moves; None: its parameters determine it
    turns: bool = False  # is for robots with continuous joints
    paced: bool = False  # omega changes its pace only: the path of the joints is the same at every omega
    velocity_map: MakeVelocityMap | None = None  # for cmd_vel, where the robot's equations have none
    # equations that it is made for, by their names in robot files; empty: any. Robots without equations are allowed
    models: tuple[str, ...] = ()

    def incompatibility(self, spec: RobotSpec) -> str:
        """Return why the gait does not fit the robot, as a predicate of the gait; empty if it fits."""
        if self.models and spec.equations and spec.equations not in self.models:
            return (
                f"is made for the equations {' or '.join(self.models)}, but those of {spec.name} are {spec.equations}"
            )
        if self.joints is not None and self.joints != len(spec.actuated):
            return f"moves {self.joints} joints, but {spec.name} has {len(spec.actuated)} actuated"
        if self.turns and not any(joint.continuous for joint in spec.actuated):
            return f"turns continuous joints, and {spec.name} has no actuated one"
        return ""
