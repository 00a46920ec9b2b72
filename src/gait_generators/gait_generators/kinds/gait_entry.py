"""What a kind of gait says of itself; each has such an object, which the catalogue names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.kinds.gait import Gait


@dataclass(frozen=True)
class GaitEntry:
    """One kind of gait."""

    parameters: type  # a dataclass of crawler_core parameters
    build: Callable[[RobotSpec, Any], Gait]
    joints: int | None = None  # how many actuated joints it moves; None: as many as its parameters say
    turns: bool = False  # it is for robots with joints that turn for ever
    paced: bool = False  # omega is its pace alone: the path of the joints is the same at every omega
    steered: bool = False  # cmd_vel may drive it: what it builds is a SteeredGait
    # the equations that it is made for, as robot files name them; empty: any. Robots without equations may try
    models: tuple[str, ...] = ()

    def incompatibility(self, spec: RobotSpec) -> str:
        """Why the robot cannot have this gait, as the end of a sentence that begins with the gait; empty: it can."""
        if self.models and spec.equations and spec.equations not in self.models:
            return (
                f"is made for the equations {' or '.join(self.models)}, but those of {spec.name} are {spec.equations}"
            )
        if self.joints is not None and self.joints != len(spec.actuated):
            return f"moves {self.joints} joints, but {spec.name} has {len(spec.actuated)} actuated"
        if self.turns and not any(joint.continuous for joint in spec.actuated):
            return f"turns continuous joints, and {spec.name} has no actuated one"
        return ""
