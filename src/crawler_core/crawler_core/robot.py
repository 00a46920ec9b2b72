"""The robot file: every physical number of a robot, once. `load_robot` reads and checks it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from crawler_core.errors import UserError, unknown_name
from crawler_core.parameters import ParameterInfo, build, check_value
from crawler_core.repetition import expand
from crawler_core.robot_file import (
    FREE_SECTIONS,
    FootEntry,
    JointEntry,
    SafetyEntry,
    StartEntry,
    base_motion,
    check_document,
    parameter_info,
    quantity,
)
from crawler_core.yaml_file import read_yaml


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
    drive: str = "position"  # position: told where to be; effort: told how hard to push
    power: float = math.inf  # W, the motor's most, either way
    brake: float = 0.0  # N·m·s/rad, of an effort joint while nothing is commanded
    damping: float = 0.0  # N·m·s/rad that an effort joint's motor has by itself, always

    @property
    def by_effort(self) -> bool:
        return self.drive == "effort"


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

    cut: str = "period"  # period | touch_down | lift_off
    foot: str = ""
    apart: float = 0.0  # s after an event in which another is no stride's end: a foot that lands may bounce


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


def robots_directory() -> Path:
    """Where the installed robots live: one directory each, with a robot.yaml."""
    try:
        return Path(get_package_share_directory("crawler_description")) / "robots"
    except PackageNotFoundError:
        raise UserError(
            "the package crawler_description is not on AMENT_PREFIX_PATH: source the workspace's setup file first."
        ) from None


def robot_names() -> tuple[str, ...]:
    """The installed robots."""
    return tuple(sorted(path.parent.name for path in robots_directory().glob("*/robot.yaml")))


def default_robot() -> str:
    """The robot of a user who names none: robots/default says which."""
    return (robots_directory() / "default").read_text().strip()


def load_robot(name: str, overrides: Mapping[str, Any] | None = None) -> RobotSpec:
    """The robot `name` (installed, or the path of a robot.yaml; empty: `default_robot`), with `overrides`.

    Raises UserError with a sentence for whatever is wrong with the name, the file or the overrides.
    """
    name = name or default_robot()
    if name.endswith((".yaml", ".yml")):
        path = Path(name)
    elif name in (known := robot_names()):
        path = robots_directory() / name / "robot.yaml"
    else:
        raise unknown_name("robot", name, known)
    document = read_yaml(path)
    try:
        check_document(document)
        _override(document, overrides or {})
        for section in ("joints", "feet"):
            document[section] = expand(document[section], document["parameters"], section)
        return _parse(path, document)
    except UserError as error:
        raise error if "robot." in str(error) else UserError(f"{path}: {error}") from None


def parameter_infos(spec: RobotSpec) -> dict[str, ParameterInfo]:
    """The robot's physical parameters with their units and bounds."""
    return {name: parameter_info(name, entry) for name, entry in spec.document["parameters"].items()}


def _override(document: dict[str, Any], overrides: Mapping[str, Any]) -> None:
    table = document["parameters"]
    for name, value in overrides.items():
        if name not in table:
            raise unknown_name("parameter", f"robot.{name}", (f"robot.{known}" for known in table))
        table[name]["value"] = check_value(parameter_info(name, table[name]), value, label=f"robot.{name}")


def _parse(path: Path, document: dict[str, Any]) -> RobotSpec:
    base = document["base"]
    return RobotSpec(
        name=document["name"],
        title=document["title"],
        directory=path.resolve().parent,
        parameters={
            name: parameter_info(name, entry).type(entry["value"]) for name, entry in document["parameters"].items()
        },
        base_link=base["link"],
        base_motion=base_motion(base["motion"]),
        joints=tuple(_joint(name, entry, document["parameters"]) for name, entry in document["joints"].items()),
        feet=tuple(_foot(name, entry, document["parameters"]) for name, entry in document["feet"].items()),
        safety=_safety(document["safety"]),
        sections={key: document.get(key) or {} for key in FREE_SECTIONS},
        document=document,
        equations=document.get("equations", ""),
        loops=tuple(LoopSpec(name, *links) for name, links in (document.get("loops") or {}).items()),
        start=_start(document.get("start") or {}, document["parameters"]),
        stride=_stride(document.get("stride") or {}, document["feet"], document["parameters"]),
        rate=float(document["rate"]) if "rate" in document else None,
    )


def _joint(name: str, entry: Mapping[str, Any], parameters: Mapping[str, Any]) -> JointSpec:
    own = {key: value for key, value in entry.items() if key != "damping"}
    joint = build(JointEntry, own, section=f"joints.{name}")
    if not joint.continuous and not joint.lower_deg <= joint.home_deg <= joint.upper_deg:
        raise UserError(
            f"joints.{name}.home_deg = {joint.home_deg:g} must lie between lower_deg = {joint.lower_deg:g} and "
            f"upper_deg = {joint.upper_deg:g}."
        )
    return JointSpec(
        name=name,
        actuated=joint.actuated,
        continuous=joint.continuous,
        lower=-math.inf if joint.continuous else math.radians(joint.lower_deg),
        upper=math.inf if joint.continuous else math.radians(joint.upper_deg),
        velocity=joint.velocity,
        acceleration=joint.acceleration,
        effort=joint.effort,
        home=math.radians(joint.home_deg),
        home_velocity=joint.home_velocity,
        drive=joint.drive,
        power=joint.power,
        brake=joint.brake,
        damping=quantity(entry.get("damping", 0.0), parameters, f"joints.{name}.damping"),
    )


def _foot(name: str, entry: Mapping[str, Any], parameters: Mapping[str, Any]) -> FootSpec:
    quantities = ("stiffness", "damping", "slip_damping")
    own = {key: value for key, value in entry.items() if key not in ("friction", *quantities)}
    label = f"feet.{name}.friction"
    friction = math.prod(quantity(factor, parameters, label) for factor in entry["friction"])
    lifts = build(FootEntry, own, section=f"feet.{name}").lifts
    stiffness, damping, slip_damping = (
        quantity(entry[key], parameters, f"feet.{name}.{key}") if key in entry else None for key in quantities
    )
    return FootSpec(name, friction, lifts, stiffness or None, damping, slip_damping or None)


def _start(entry: Mapping[str, Any], parameters: Mapping[str, Any]) -> StartSpec:
    own = build(StartEntry, {key: value for key, value in entry.items() if key != "height"}, section="start")
    return StartSpec(
        height=quantity(entry.get("height", 0.0), parameters, "start.height"),
        rpy=(math.radians(own.roll_deg), math.radians(own.pitch_deg), math.radians(own.yaw_deg)),
        linear=(own.vx, own.vy, own.vz),
        angular=(own.roll_rate, own.pitch_rate, own.yaw_rate),
    )


def _stride(entry: Mapping[str, Any], feet: Mapping[str, Any], parameters: Mapping[str, Any]) -> StrideSpec:
    stride = StrideSpec(**{**entry, "apart": quantity(entry.get("apart", 0.0), parameters, "stride.apart")})
    if stride.foot and stride.foot not in feet:
        raise unknown_name("foot for stride.foot", stride.foot, feet)
    return stride


def _safety(entry: Mapping[str, Any]) -> SafetySpec:
    values = vars(build(SafetyEntry, entry, section="safety"))
    tolerance = math.radians(values.pop("tracking_tolerance_deg"))
    return SafetySpec(tracking_tolerance=tolerance, **values)
