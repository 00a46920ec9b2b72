"""The robot file: every physical number of a robot, once. `load_robot` reads and checks it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class JointSpec:
    """One joint. A continuous joint turns for ever: its position limits are infinite."""

    name: str
    actuated: bool
    continuous: bool
    lower: float  # rad
    upper: float  # rad
    velocity: float  # rad/s, the most it may do
    acceleration: float  # rad/s², the most it may do
    effort: float  # N·m
    home: float  # rad, where a simulation starts; of a passive joint in a loop, near where: the loop says the rest
    home_velocity: float = 0.0  # rad/s at the start
    command_interface: str = "position"  # position: told where to be; effort: told how hard to push
    power: float = math.inf  # W, the motor's most, either way
    idle_damping: float = 0.0  # N·m·s/rad, of an effort joint while nothing is commanded
    damping: float = 0.0  # N·m·s/rad that an effort joint's motor has by itself, always

    @property
    def is_effort_driven(self) -> bool:
        return self.command_interface == "effort"


@dataclass(frozen=True)
class FootSpec:
    """One foot: a link of the URDF whose origin is the point of contact."""

    name: str
    friction: float  # Coulomb's coefficient against the ground
    lifts: bool = False  # whether a sound gait may lift it
    stiffness: float | None = None  # N/m of the foot and the ground together, above 0; None: rigid
    damping: float | None = None  # N·s/m, likewise
    slip_damping: float | None = None  # N·s/m of its friction where that is below Coulomb's, above 0; None: rigid


@dataclass(frozen=True)
class LoopSpec:
    """A closed chain: two links of the URDF whose origins coincide, as at the pin of a four-bar."""

    name: str
    first: str
    second: str


@dataclass(frozen=True)
class StartSpec:
    """How a simulation begins. Standing at rest it settles first; in the air or moving it begins just so."""

    height: float = 0.0  # m between the ground and the robot's lowest point
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)  # rad, of the base, about the fixed axes x, y, z
    linear: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m/s, of the base in the world
    angular: tuple[float, float, float] = (0.0, 0.0, 0.0)  # rad/s, of the base in the world


@dataclass(frozen=True)
class StrideSpec:
    """Where one stride ends and the next begins: after the gait's period, or with an event of a foot."""

    event: str = "period"  # period | touch_down | lift_off
    foot: str = ""
    min_interval: float = 0.0  # s after an event in which another is no stride's end: a foot that lands may bounce


@dataclass(frozen=True)
class SafetySpec:
    """How the supervisor guards this robot."""

    command_timeout: float  # s without a command until the joints are held
    relax_after: float  # s of holding until the torque goes off
    approach_velocity: float  # rad/s, at which a joint is brought to a command that is far away
    tracking_tolerance: float  # rad between setpoint and measurement that is still normal
    tracking_time: float  # s that it may be exceeded
    on_exit: str  # hold | rest_then_release | release


@dataclass(frozen=True)
class RobotSpec:
    """A robot as its file describes it, with overrides applied."""

    name: str
    title: str
    directory: Path
    parameters: Mapping[str, float]
    base_link: str
    base_motion: tuple[str, ...]  # in which of x, y, z, roll, pitch, yaw the base may move
    joints: tuple[JointSpec, ...]
    feet: tuple[FootSpec, ...]
    safety: SafetySpec
    sections: Mapping[str, Any]  # gait, controller, backends, hardware: their owners read them
    document: Mapping[str, Any]  # the whole file, overrides applied and repeated entries spelt out, for xacro
    equations: str = ""  # the name of its equations, or module:object; empty: none
    loops: tuple[LoopSpec, ...] = ()
    start: StartSpec = StartSpec()
    stride: StrideSpec = StrideSpec()
    rate: float | None = None  # Hz, ticks of the ring where nobody says how many; None: as many as any ring has

    @property
    def planar(self) -> bool:
        """Whether the base moves in x, z and pitch, and in no other way."""
        return self.base_motion == ("x", "z", "pitch")

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def actuated(self) -> tuple[JointSpec, ...]:
        return tuple(joint for joint in self.joints if joint.actuated)

    @cached_property
    def actuated_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.actuated)

    @cached_property
    def actuated_indices(self) -> list[int]:
        """Where the actuated joints stand among all joints."""
        return [i for i, joint in enumerate(self.joints) if joint.actuated]

    @cached_property
    def stands_at_start(self) -> bool:
        """Whether a simulation begins at rest on the ground."""
        start = self.start
        moving = (*start.linear, *start.angular, *(joint.home_velocity for joint in self.joints))
        return start.height == 0.0 and not any(moving)

    @cached_property
    def foot_names(self) -> tuple[str, ...]:
        return tuple(foot.name for foot in self.feet)

    @cached_property
    def text(self) -> str:
        """The effective robot file as YAML, for tools that read files."""
        return yaml.safe_dump(dict(self.document), sort_keys=False)

    def section(self, name: str) -> Mapping[str, Any]:
        """A section of the file, empty where it has none."""
        return self.sections.get(name) or {}
