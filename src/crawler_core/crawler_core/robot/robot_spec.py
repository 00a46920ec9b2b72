"""A robot as its file describes it. `crawler_core.robot.robot_file` reads one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from crawler_core.parameters import parameter
from crawler_core.reality.reality import IDEAL, Reality
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import Vector


def angle(limit_deg: float, doc: str) -> Any:
    """Return a field for an angle that robot.yaml gives in degrees."""
    return parameter(0.0, unit="degrees", lower=-limit_deg, upper=limit_deg, doc=doc)


def speed(limit: float, doc: str, unit: str = "rad/s") -> Any:
    """Return a field for a speed of either sign."""
    return parameter(0.0, unit=unit, lower=-limit, upper=limit, doc=doc)


@dataclass(frozen=True)
class JointSpec:
    """One joint. Angles are in rad here, and in degrees in robot.yaml (`lower_deg`), where their bounds apply."""

    name: str
    actuated: bool = parameter(True, doc="driven by a motor")
    continuous: bool = parameter(False, doc="turns without position limits, which are infinite then")
    lower: float = angle(3600.0, "lower limit")
    upper: float = angle(3600.0, "upper limit")
    velocity: float = parameter(1.0, unit="rad/s", lower=1e-3, upper=1e4, doc="limit")
    acceleration: float = parameter(1.0, unit="rad/s^2", lower=1e-3, upper=1e6, doc="limit")
    effort: float = parameter(0.0, unit="N m", lower=0.0, upper=1e4, doc="limit")
    home: float = angle(3600.0, "start of a simulation; approximate for a passive joint in a loop, which decides it")
    home_velocity: float = speed(1e4, "at the start of a simulation")
    command_interface: str = parameter(
        "position", choices=("position", "effort"), doc="quantity that its motor is given"
    )
    power: float = parameter(math.inf, unit="W", lower=0.0, doc="limit of the motor, driving or braking")
    idle_damping: float = parameter(
        0.0, unit="N m s/rad", lower=0.0, upper=1e4, doc="of an effort-driven joint without a command"
    )
    damping: float = 0.0  # N·m·s/rad that the motor of an effort-driven joint always has

    @property
    def is_effort_driven(self) -> bool:
        return self.command_interface == "effort"


@dataclass(frozen=True)
class FootSpec:
    """One foot: a link of the URDF whose origin is the point of contact."""

    name: str
    friction: float  # Coulomb's coefficient against the ground
    lifts: bool = parameter(False, doc="leaves the ground in a sound gait")
    stiffness: float | None = None  # N/m of the foot and the ground together, above 0; None: rigid
    damping: float | None = None  # N·s/m of both together
    slip_damping: float | None = None  # N·s/m of its friction where that is below Coulomb's, above 0; None: rigid


@dataclass(frozen=True)
class LoopSpec:
    """A closed chain: two links of the URDF whose origins coincide, as at the pin of a four-bar."""

    name: str
    first: str
    second: str


@dataclass(frozen=True)
class StartSpec:
    """The base at the start of a simulation, in the world. A robot at rest on the ground settles first."""

    height: float = 0.0  # m between the ground and the robot's lowest point
    roll: float = angle(360.0, "about the fixed x axis")
    pitch: float = angle(360.0, "about the fixed y axis")
    yaw: float = angle(360.0, "about the fixed z axis")
    vx: float = speed(100.0, "along x", unit="m/s")
    vy: float = speed(100.0, "along y", unit="m/s")
    vz: float = speed(100.0, "along z", unit="m/s")
    roll_rate: float = speed(1e3, "about x")
    pitch_rate: float = speed(1e3, "about y")
    yaw_rate: float = speed(1e3, "about z")

    @property
    def rpy(self) -> Vector:
        """Roll, pitch and yaw (rad)."""
        return self.roll, self.pitch, self.yaw

    @property
    def linear(self) -> Vector:
        """The linear velocity (m/s)."""
        return self.vx, self.vy, self.vz

    @property
    def angular(self) -> Vector:
        """The angular velocity (rad/s)."""
        return self.roll_rate, self.pitch_rate, self.yaw_rate


@dataclass(frozen=True)
class StrideSpec:
    """The end of a stride: after the gait's period, or with an event of a foot."""

    event: str = parameter("period", choices=("period", "touch_down", "lift_off"), doc="that ends a stride")
    foot: str = parameter("", doc="of the event")
    min_interval: float = 0.0  # s between two events that end a stride: a foot that lands may bounce


@dataclass(frozen=True)
class SafetySpec:
    """The settings of the safety supervisor for this robot. The tolerance is in rad here, in degrees in robot.yaml."""

    command_timeout: float = parameter(0.1, unit="s", lower=0.005, upper=10.0, doc="without a command until it holds")
    relax_after: float = parameter(2.0, unit="s", lower=0.01, upper=3600.0, doc="of holding until the torque goes off")
    approach_velocity: float = parameter(1.0, unit="rad/s", lower=1e-3, upper=100.0, doc="towards a far command")
    tracking_tolerance: float = parameter(math.nan, unit="degrees", lower=0.1, upper=360.0, doc="of a setpoint")
    tracking_time: float = parameter(0.25, unit="s", lower=0.0, upper=60.0, doc="for which it may be exceeded")
    on_exit: str = parameter("rest_then_release", choices=("hold", "rest_then_release", "release"), doc="at the end")


@dataclass(frozen=True)
class RobotSpec:
    """A robot as its file describes it, with overrides applied."""

    name: str
    title: str
    directory: Path
    parameters: Mapping[str, float]
    base_link: str
    base_motion: tuple[str, ...]  # those of x, y, z, roll, pitch, yaw in which the base may move
    joints: tuple[JointSpec, ...]
    feet: tuple[FootSpec, ...]
    safety: SafetySpec
    sections: Mapping[str, Any]  # gait, controller, estimator, backends, hardware: each is read by its package
    document: Mapping[str, Any]  # the whole file, overrides applied and repeated entries spelt out, for xacro
    equations: str = ""  # the name of its equations, or module:object; empty: none
    loops: tuple[LoopSpec, ...] = ()
    start: StartSpec = StartSpec()
    stride: StrideSpec = StrideSpec()
    rate: float | None = None  # Hz, ticks of the control loop unless the user gives a rate; None: the default
    sensors: tuple[SensorSpec, ...] = ()
    realities: Mapping[str, Reality] = field(default_factory=dict)  # by profile

    @property
    def planar(self) -> bool:
        """True for a base that moves in x, z and pitch only."""
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
        """The places of the actuated joints among all joints."""
        return [i for i, joint in enumerate(self.joints) if joint.actuated]

    @cached_property
    def stands_at_start(self) -> bool:
        """True if a simulation begins at rest on the ground."""
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

    def reality(self, profile: str) -> Reality:
        """Return the imperfections of motors and encoders in a profile; none where the file describes none."""
        return self.realities.get(profile, IDEAL)

    def section(self, name: str) -> Mapping[str, Any]:
        """Return a section of the file, empty where it has none."""
        return self.sections.get(name) or {}
