"""What a robot.yaml must look like. Every mistake in it becomes a sentence that names the key."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from crawler_core.errors import UserError, quoted, unknown_name
from crawler_core.parameters import ParameterInfo, check_value, describe, parameter
from crawler_core.robot.names import check_name
from crawler_core.robot.repeat import REPEAT_MARK

FREE_SECTIONS = ("gait", "controller", "backends", "hardware")  # checked by those who read them
NEEDED = ("name", "title", "parameters", "base", "joints", "feet", "safety")
OPTIONAL = ("paper", "equations", "rate", "loops", "start", "stride")
DRIVES = ("position", "effort")
BASE_AXES = ("x", "y", "z", "roll", "pitch", "yaw")  # in which a base may move
MOTIONS: Mapping[str, tuple[str, ...]] = {"planar": ("x", "z", "pitch"), "free": BASE_AXES, "fixed": ()}
STRIDE_EVENTS = ("period", "touch_down", "lift_off")
RENAMED_KEYS: Mapping[str, Mapping[str, str]] = {  # of 0.0.x robot files, by section
    "joints": {"drive": "command_interface", "brake": "idle_damping"},
    "stride": {"cut": "event", "apart": "min_interval"},
}
EVERY_ROBOT = ("gravity",)  # parameters without which no backend can work
RATE = ParameterInfo("rate", float, None, "Hz", 10.0, 4000.0, (), "ticks of the ring per second", constant=True)


@dataclass(frozen=True)
class JointEntry:
    """What an entry of `joints` says besides its damping."""

    actuated: bool = parameter(True, doc="driven by a motor")
    continuous: bool = parameter(False, doc="turns for ever, without position limits")
    lower_deg: float = parameter(0.0, unit="degrees", lower=-3600.0, upper=3600.0, doc="lower limit")
    upper_deg: float = parameter(0.0, unit="degrees", lower=-3600.0, upper=3600.0, doc="upper limit")
    velocity: float = parameter(1.0, unit="rad/s", lower=1e-3, upper=1e4, doc="limit")
    acceleration: float = parameter(1.0, unit="rad/s^2", lower=1e-3, upper=1e6, doc="limit")
    effort: float = parameter(0.0, unit="N m", lower=0.0, upper=1e4, doc="limit")
    home_deg: float = parameter(0.0, unit="degrees", lower=-3600.0, upper=3600.0, doc="where a simulation starts")
    home_velocity: float = parameter(0.0, unit="rad/s", lower=-1e4, upper=1e4, doc="how fast it turns at the start")
    command_interface: str = parameter(
        "position", choices=DRIVES, doc="what its motor is told: where to be, or how hard to push"
    )
    power: float = parameter(math.inf, unit="W", lower=0.0, doc="the motor's most, either way")
    idle_damping: float = parameter(
        0.0, unit="N m s/rad", lower=0.0, upper=1e4, doc="of an effort joint without a command"
    )


@dataclass(frozen=True)
class FootEntry:
    """What an entry of `feet` says besides its friction."""

    lifts: bool = parameter(False, doc="leaves the ground in a sound gait")


@dataclass(frozen=True)
class StartEntry:
    """The section `start` besides its height: how the robot is when a simulation begins."""

    roll_deg: float = parameter(0.0, unit="degrees", lower=-360.0, upper=360.0, doc="of the base")
    pitch_deg: float = parameter(0.0, unit="degrees", lower=-360.0, upper=360.0, doc="of the base")
    yaw_deg: float = parameter(0.0, unit="degrees", lower=-360.0, upper=360.0, doc="of the base")
    vx: float = parameter(0.0, unit="m/s", lower=-100.0, upper=100.0, doc="of the base, in the world")
    vy: float = parameter(0.0, unit="m/s", lower=-100.0, upper=100.0, doc="of the base, in the world")
    vz: float = parameter(0.0, unit="m/s", lower=-100.0, upper=100.0, doc="of the base, in the world")
    roll_rate: float = parameter(0.0, unit="rad/s", lower=-1e3, upper=1e3, doc="of the base, about the world's x axis")
    pitch_rate: float = parameter(0.0, unit="rad/s", lower=-1e3, upper=1e3, doc="of the base, about the world's y axis")
    yaw_rate: float = parameter(0.0, unit="rad/s", lower=-1e3, upper=1e3, doc="of the base, about the world's z axis")


@dataclass(frozen=True)
class SafetyEntry:
    """The section `safety`."""

    command_timeout: float = parameter(0.1, unit="s", lower=0.005, upper=10.0, doc="without a command until it holds")
    relax_after: float = parameter(2.0, unit="s", lower=0.01, upper=3600.0, doc="of holding until the torque goes off")
    approach_velocity: float = parameter(1.0, unit="rad/s", lower=1e-3, upper=100.0, doc="towards a far command")
    tracking_tolerance_deg: float = parameter(15.0, unit="degrees", lower=0.1, upper=360.0, doc="of a setpoint")
    tracking_time: float = parameter(0.25, unit="s", lower=0.0, upper=60.0, doc="that it may be exceeded")
    on_exit: str = parameter("rest_then_release", choices=("hold", "rest_then_release", "release"), doc="at the end")


def check_document(document: Mapping[str, Any]) -> None:
    """Raise UserError for missing, unknown or misshapen parts of a robot file; values of joints are checked later."""
    _keys(document, "", NEEDED, (*NEEDED, *OPTIONAL, *FREE_SECTIONS))
    check_name(document["name"], label="name")
    for key in ("title", "paper", "equations"):
        _text(document.get(key, ""), key)
    for section in ("parameters", "base", "joints", "feet", "safety"):
        check_mapping(document[section], section)
    _keys(document["base"], "base", ("link", "motion"), ("link", "motion"))
    check_name(document["base"]["link"], label="base.link")
    base_motion(document["base"]["motion"])
    _check_parameters(document["parameters"])
    for name, entry in document["joints"].items():
        label = f"joints.{name}"
        check_name(name.replace(REPEAT_MARK, "0"), label="the name of a joint")
        limits = () if check_mapping(entry, label).get("continuous") is True else ("lower_deg", "upper_deg")
        needed = ("actuated", *limits, "velocity", "acceleration", "effort", "home_deg")
        _keys(entry, label, needed, (*needed, *(info.name for info in describe(JointEntry)), "damping", "repeat"))
    for name, entry in document["feet"].items():
        label = f"feet.{name}"
        check_name(name.replace(REPEAT_MARK, "0"), label="the name of a foot")
        optional = ("lifts", "stiffness", "damping", "slip_damping", "repeat")
        _keys(check_mapping(entry, label), label, ("friction",), ("friction", *optional))
        if not isinstance(entry["friction"], list):
            raise UserError(f"{label}.friction = {quoted(entry['friction'])} must be a list of parameters' names.")
        for factor in entry["friction"]:
            if not isinstance(factor, str) or factor not in document["parameters"]:
                raise unknown_name(f"parameter for {label}.friction", factor, document["parameters"])
    _keys(document["safety"], "safety", vars(SafetyEntry()), vars(SafetyEntry()))
    for name, links in _section(document, "loops").items():
        check_name(name, label="the name of a loop")
        if not (isinstance(links, list) and len(links) == 2 and all(isinstance(link, str) for link in links)):
            raise UserError(
                f"loops.{name} = {quoted(links)} must be two links whose frames coincide, such as [pin_a, pin_b]."
            )
    if "rate" in document:
        check_value(RATE, document["rate"], label="rate")
    _keys(_section(document, "start"), "start", (), ("height", *(info.name for info in describe(StartEntry))))
    _check_stride(_section(document, "stride"))
    for section in FREE_SECTIONS:
        for name, entry in _section(document, section).items():
            if name == "default":
                _text(entry, f"{section}.default")
            elif entry is not None:
                check_mapping(entry, f"{section}.{name}")


def _check_parameters(parameters: Mapping[str, Any]) -> None:
    for name in EVERY_ROBOT:
        if name not in parameters:
            raise UserError(f"parameters.{name} is missing: every robot needs it.")
    for name, entry in parameters.items():
        label = f"parameters.{name}"
        check_name(name, label="the name of a parameter")
        _keys(check_mapping(entry, label), label, ("value",), ("value", "unit", "min", "max", "whole", "doc"))
        for key in ("unit", "doc"):
            _text(entry.get(key, ""), f"{label}.{key}")
        for key in ("min", "max"):
            bound = entry.get(key, 0.0)
            if isinstance(bound, bool) or not isinstance(bound, (int, float)) or math.isnan(bound):
                raise UserError(f"{label}.{key} = {quoted(bound)} is no number: YAML wants 1.0e-7 where 1e-7 is meant.")
        if not isinstance(entry.get("whole", False), bool):
            raise UserError(f"{label}.whole = {quoted(entry['whole'])} must be true or false.")
        check_value(parameter_info(name, entry), entry["value"], label=f"{label}.value")


def _check_stride(stride: Mapping[str, Any]) -> None:
    _keys(stride, "stride", (), ("event", "foot", "min_interval"))
    event = stride.get("event", STRIDE_EVENTS[0])
    if event not in STRIDE_EVENTS:
        raise UserError(f"stride.event = {quoted(event)} is not allowed: it must be one of {', '.join(STRIDE_EVENTS)}.")
    _text(stride.get("foot", ""), "stride.foot")
    if (event == STRIDE_EVENTS[0]) == ("foot" in stride):
        raise UserError(
            "stride.foot names the foot whose events cut a run: it goes with stride.event touch_down or lift_off."
        )


def base_motion(said: Any) -> tuple[str, ...]:
    """The ways in which a base moves, in the order of `WAYS`, of `base.motion`: a name, or a list of ways."""
    known = ", ".join(MOTIONS)
    if isinstance(said, str) and said in MOTIONS:
        return MOTIONS[said]
    if not isinstance(said, list) or any(said.count(way) > 1 or way not in BASE_AXES for way in said):
        raise UserError(
            f"base.motion = {quoted(said)} is not allowed: give one of {known}, or a list of {', '.join(BASE_AXES)}."
        )
    return tuple(way for way in BASE_AXES if way in said)


def physical_value(value: Any, parameters: Mapping[str, Any], label: str) -> float:
    """A physical number of the file: written down, or the name of a parameter. Raises UserError."""
    if isinstance(value, str):
        if value not in parameters:
            raise unknown_name(f"parameter for {label}", value, parameters)
        value = parameters[value]["value"]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0.0:
        raise UserError(
            f"{label} = {quoted(value)} is not allowed: give a number of at least 0, or a parameter's name."
        )
    return float(value)


def parameter_info(name: str, entry: Mapping[str, Any]) -> ParameterInfo:
    """What an entry of `parameters` says of its parameter."""
    return ParameterInfo(
        name=name,
        type=int if entry.get("whole") else float,
        default=entry["value"],
        unit=entry.get("unit", ""),
        lower=entry.get("min"),
        upper=entry.get("max"),
        choices=(),
        doc=entry.get("doc", ""),
        constant=True,
    )


def check_mapping(value: Any, label: str) -> Mapping[str, Any]:
    """`value`, the entry `label` of a robot file. Raises UserError where it holds no pairs of key and value."""
    if not isinstance(value, dict):
        raise UserError(f"{label} must hold 'key: value' pairs, but is {quoted(value)}.")
    return value


def _section(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A section that may be missing, or hold nothing."""
    value = document.get(name)
    return {} if value is None else check_mapping(value, name)


def _text(value: Any, label: str) -> None:
    if not isinstance(value, str):
        raise UserError(f"{label} = {quoted(value)} must be text.")


def _keys(entry: Mapping[str, Any], label: str, needed: Iterable[str], allowed: Iterable[str]) -> None:
    prefix = f"{label}." if label else ""
    renamed = RENAMED_KEYS.get(label.partition(".")[0], {})
    for key in entry:
        if key in renamed:
            raise UserError(f"{prefix}{key} is an old name: call it {prefix}{renamed[key]}.")
    for key in needed:
        if key not in entry:
            raise UserError(f"{prefix}{key} is missing.")
    for key in entry:
        if key not in set(allowed):
            raise unknown_name("key", f"{prefix}{key}", (f"{prefix}{known}" for known in allowed))
