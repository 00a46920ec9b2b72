"""The section `hardware` of a robot file, which maps each joint to a motor on a bus."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from crawler_core.errors import UserError, unknown_name
from crawler_core.parameters import build, describe
from crawler_core.robot.repeat import expand_repeats
from crawler_core.robot.robot_spec import JointSpec, RobotSpec
from crawler_core.robot.schema import check_mapping
from hw_drivers.backend.sensor_maps import sensor_maps
from hw_drivers.bus.bus import BusKind
from hw_drivers.bus.bus_kinds import KINDS, effort_kinds
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.bus.setting import setting
from hw_drivers.sensors.sensor_map import SensorMap


@dataclass(frozen=True)
class JointKeys:
    """Keys of `hardware.joints.<name>` that do not depend on the kind of bus."""

    id: int = setting(0, lower=0, upper=1023, doc="of the motor on its bus")
    direction: int = setting(1, lower=-1, upper=1, doc="-1 where the motor turns against the joint")
    gear: float = setting(1.0, lower=1e-3, upper=1e4, doc="turns of the motor for one of the joint")
    zero_deg: float = setting(
        0.0, unit="degrees", lower=-36000.0, upper=36000.0, doc="the motor's angle where the joint's is 0"
    )
    velocity: float = setting(0.0, unit="rad/s", lower=0.0, upper=1e4, doc="the motor's limit; 0: the joint's own")


@dataclass(frozen=True)
class BusMap:
    name: str
    kind_name: str
    kind: BusKind
    settings: Any  # an instance of kind.bus_settings
    joints: tuple[JointMap, ...]
    sensors: tuple[SensorMap, ...] = ()  # that it reads


def hardware_map(spec: RobotSpec) -> tuple[BusMap, ...]:
    """Read the buses of a robot, with their joints and sensors, in the file's order. Raises UserError."""
    section = _section(spec)
    bus_entries, joint_entries = (
        check_mapping(section.get(key) or {}, f"hardware.{key}") for key in ("buses", "joints")
    )
    buses = {str(name): _bus(str(name), entry) for name, entry in bus_entries.items()}
    joint_entries = _expand_joints(joint_entries, spec.document["parameters"])
    for name in joint_entries:
        if name not in spec.actuated_names:
            raise unknown_name("actuated joint", str(name), spec.actuated_names)
    joints: dict[str, list[JointMap]] = {name: [] for name in buses}
    for joint in spec.actuated:
        bus, entry = _bus_of(joint, joint_entries, buses)
        joints[bus.name].append(_joint(joint, entry, bus.kind.joint_settings))
    for name, maps in joints.items():
        if not maps:
            raise UserError(f"no joint is on hardware.buses.{name}: remove that bus, or put joints on it.")
        _no_duplicates(name, maps)
    sensors = hardware_sensors(spec)
    return tuple(
        replace(
            bus,
            joints=tuple(joints[bus.name]),
            sensors=tuple(sensor for sensor in sensors if sensor.bus == bus.name),
        )
        for bus in buses.values()
    )


def hardware_sensors(spec: RobotSpec) -> tuple[SensorMap, ...]:
    """Read where the sensors of a robot are read. Raises UserError."""
    section = _section(spec)
    buses = check_mapping(section.get("buses") or {}, "hardware.buses")
    kinds = {str(name): _bus(str(name), entry).kind_name for name, entry in buses.items()}
    return sensor_maps(spec, check_mapping(section.get("sensors") or {}, "hardware.sensors"), kinds)


def _section(spec: RobotSpec) -> Mapping[str, Any]:
    section = spec.section("hardware")
    if not section:
        raise UserError(
            f"the robot '{spec.name}' has no section hardware in its robot.yaml: write one as docs/hardware.md says."
        )
    _check_keys(section, "hardware", ("buses", "joints", "sensors"))
    return section


def _expand_joints(joints: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Expand repeated entries. Their ids count up from the given one."""
    expanded: dict[str, Any] = {}
    for name, entry in joints.items():
        entries = expand_repeats({name: check_mapping(entry, f"hardware.joints.{name}")}, parameters, "hardware.joints")
        for i, (joint, keys) in enumerate(entries.items()):
            counts_up = i and isinstance(keys.get("id"), int)
            expanded[joint] = {**keys, "id": keys["id"] + i} if counts_up else keys
    return expanded


def _bus(name: str, entry: Any) -> BusMap:
    """Read a bus, without its joints."""
    values = dict(check_mapping(entry, f"hardware.buses.{name}"))
    kind_name = values.pop("kind", None)
    if kind_name is None:
        raise UserError(f"hardware.buses.{name}.kind is missing: it is one of {', '.join(KINDS)}.")
    kind = KINDS[str(kind_name)]
    return BusMap(name, str(kind_name), kind, build(kind.bus_settings, values, section=f"hardware.buses.{name}"), ())


def _bus_of(joint: JointSpec, entries: Mapping[str, Any], buses: Mapping[str, BusMap]) -> tuple[BusMap, dict[str, Any]]:
    """Return a joint's bus, and the rest of its entry."""
    label = f"hardware.joints.{joint.name}"
    if joint.name not in entries:
        raise UserError(f"{label} is missing: every actuated joint needs its motor.")
    entry = dict(check_mapping(entries[joint.name], label))
    name = entry.pop("bus", None)
    if not isinstance(name, str) or name not in buses:
        raise unknown_name(f"bus for {label}.bus", name, buses)
    bus = buses[name]
    if joint.is_effort_driven and not bus.kind.supports_effort:
        raise UserError(
            f"{joint.name} is driven by effort, but hardware.buses.{name} of kind {bus.kind_name} takes positions "
            f"only: put {joint.name} on a bus of kind {' or '.join(effort_kinds())}."
        )
    return bus, entry


def _joint(joint: JointSpec, entry: Mapping[str, Any], settings: type) -> JointMap:
    label = f"hardware.joints.{joint.name}"
    if "id" not in entry:
        raise UserError(f"{label}.id is missing: 'crawler hw scan' shows what is on the bus.")
    common = {info.name for info in describe(JointKeys)}
    of_kind = {info.name for info in describe(settings)}
    _check_keys(entry, label, ("bus", *common, *of_kind))
    keys = build(JointKeys, {key: value for key, value in entry.items() if key in common}, section=label)
    if keys.direction == 0:
        raise UserError(f"{label}.direction = 0 is not allowed: it must be 1 or -1.")
    if keys.velocity > joint.velocity:
        raise UserError(
            f"{label}.velocity = {keys.velocity:g} is above the joint's own limit of {joint.velocity:g} rad/s: "
            "leave it out, or lower it."
        )
    return JointMap(
        joint=joint.name,
        id=keys.id,
        direction=keys.direction,
        gear=keys.gear,
        zero=math.radians(keys.zero_deg),
        lower=joint.lower,
        upper=joint.upper,
        velocity=keys.velocity or joint.velocity,
        effort=joint.effort,
        settings=build(settings, {key: value for key, value in entry.items() if key in of_kind}, section=label),
        is_effort_driven=joint.is_effort_driven,
    )


def _no_duplicates(bus: str, joints: list[JointMap]) -> None:
    by_id: dict[int, str] = {}
    for joint in joints:
        if (other := by_id.setdefault(joint.id, joint.joint)) != joint.joint:
            raise UserError(
                f"{other} and {joint.joint} both have id {joint.id} on the bus '{bus}': "
                "give each motor an id of its own."
            )


def _check_keys(entry: Mapping[str, Any], label: str, allowed: tuple[str, ...]) -> None:
    for key in entry:
        if key not in allowed:
            raise unknown_name("key", f"{label}.{key}", (f"{label}.{known}" for known in allowed))
