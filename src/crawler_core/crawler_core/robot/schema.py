"""The schema of robot.yaml: sections, keys and ranges. Every mistake becomes a sentence that names the key."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from crawler_core.errors import UserError, quoted, unknown_name
from crawler_core.parameters import ParameterInfo, check_value, describe
from crawler_core.reality.reality import Reality
from crawler_core.robot.names import check_name
from crawler_core.robot.repeat import REPEAT_MARK
from crawler_core.robot.robot_spec import JointSpec, SafetySpec, StartSpec, StrideSpec
from crawler_core.sensors.sensor_spec import SensorSpec

FREE_SECTIONS = ("gait", "controller", "estimator", "backends", "hardware")  # checked by the packages that read them
REQUIRED_KEYS = ("name", "title", "parameters", "base", "joints", "feet", "safety")
OPTIONAL_KEYS = ("paper", "equations", "rate", "loops", "start", "stride", "sensors", "reality")
REALITY_PROFILES = ("typical", "harsh")  # that a robot file may describe; `ideal` has no imperfections
RENAMED_KEYS: Mapping[str, Mapping[str, str]] = {  # old names and new ones, by section
    "joints": {"drive": "command_interface", "brake": "idle_damping"},
    "stride": {"cut": "event", "apart": "min_interval"},
}
REQUIRED_PARAMETERS = ("gravity",)  # every backend needs them
BASE_AXES = ("x", "y", "z", "roll", "pitch", "yaw")
BASE_MOTIONS: Mapping[str, tuple[str, ...]] = {"planar": ("x", "z", "pitch"), "free": BASE_AXES, "fixed": ()}
RATE = ParameterInfo("rate", float, None, "Hz", 10.0, 4000.0, (), "ticks of the control loop", constant=True)


def entry_infos(cls: type) -> dict[str, ParameterInfo]:
    """Return the parameters of a spec by their keys in robot.yaml, where angles end in _deg."""
    return {f"{info.name}_deg" if info.unit == "degrees" else info.name: info for info in describe(cls)}


def read_entry(
    cls: type, entry: Mapping[str, Any], label: str, parameters: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the parameters of a spec from an entry of the robot file, angles in rad. Raise UserError.

    With `parameters` of the robot file, a number may be the name of one of them, in the unit of the key.
    """
    values = {}
    for key, info in entry_infos(cls).items():
        if key in entry:
            value = entry[key]
            if info.type is float and isinstance(value, str) and parameters is not None:
                value = named_value(value, parameters, f"{label}.{key}")
            value = check_value(info, value, label=f"{label}.{key}")
            values[info.name] = math.radians(value) if info.unit == "degrees" else value
    return values


def named_value(name: str, parameters: Mapping[str, Any], label: str) -> Any:
    """Return the value of the robot's parameter `name`. Raise UserError where there is none."""
    if name not in parameters:
        raise unknown_name(f"parameter for {label}", name, parameters)
    return parameters[name]["value"]


def check_document(document: Mapping[str, Any]) -> None:
    """Raise UserError for missing, unknown or misshapen parts of a robot file; the values of joints come later."""
    check_keys(document, "", REQUIRED_KEYS, (*REQUIRED_KEYS, *OPTIONAL_KEYS, *FREE_SECTIONS))
    check_name(document["name"], label="name")
    for key in ("title", "paper", "equations"):
        _text(document.get(key, ""), key)
    for section in ("parameters", "base", "joints", "feet", "safety"):
        check_mapping(document[section], section)
    check_keys(document["base"], "base", ("link", "motion"), ("link", "motion"))
    check_name(document["base"]["link"], label="base.link")
    base_motion(document["base"]["motion"])
    _check_parameters(document["parameters"])
    for name, entry in document["joints"].items():
        label = f"joints.{name}"
        check_name(name.replace(REPEAT_MARK, "0"), label="the name of a joint")
        limits = () if check_mapping(entry, label).get("continuous") is True else ("lower_deg", "upper_deg")
        needed = ("actuated", *limits, "velocity", "acceleration", "effort", "home_deg")
        check_keys(entry, label, needed, (*needed, *entry_infos(JointSpec), "damping", "repeat"))
    for name, entry in document["feet"].items():
        label = f"feet.{name}"
        check_name(name.replace(REPEAT_MARK, "0"), label="the name of a foot")
        optional = ("lifts", "stiffness", "damping", "slip_damping", "repeat")
        check_keys(check_mapping(entry, label), label, ("friction",), ("friction", *optional))
        if not isinstance(entry["friction"], list):
            raise UserError(f"{label}.friction = {quoted(entry['friction'])} must be a list of parameters' names.")
        for factor in entry["friction"]:
            if not isinstance(factor, str) or factor not in document["parameters"]:
                raise unknown_name(f"parameter for {label}.friction", factor, document["parameters"])
    check_keys(document["safety"], "safety", entry_infos(SafetySpec), entry_infos(SafetySpec))
    for name, links in _section(document, "loops").items():
        check_name(name, label="the name of a loop")
        if not (isinstance(links, list) and len(links) == 2 and all(isinstance(link, str) for link in links)):
            raise UserError(
                f"loops.{name} = {quoted(links)} must be two links whose frames coincide, such as [pin_a, pin_b]."
            )
    if "rate" in document:
        check_value(RATE, document["rate"], label="rate")
    check_keys(_section(document, "start"), "start", (), ("height", *entry_infos(StartSpec)))
    check_keys(_section(document, "stride"), "stride", (), (*entry_infos(StrideSpec), "min_interval"))
    for name, entry in _section(document, "sensors").items():
        check_name(name, label="the name of a sensor")
        check_keys(check_mapping(entry, f"sensors.{name}"), f"sensors.{name}", ("kind",), entry_infos(SensorSpec))
    check_keys(_section(document, "reality"), "reality", (), REALITY_PROFILES)
    for profile, entry in _section(document, "reality").items():
        label = f"reality.{profile}"
        check_keys(check_mapping(entry, label), label, (), entry_infos(Reality))
    for section in FREE_SECTIONS:
        for name, entry in _section(document, section).items():
            if name == "default":
                _text(entry, f"{section}.default")
            elif entry is not None:
                check_mapping(entry, f"{section}.{name}")


def _check_parameters(parameters: Mapping[str, Any]) -> None:
    for name in REQUIRED_PARAMETERS:
        if name not in parameters:
            raise UserError(f"parameters.{name} is missing: every robot needs it.")
    for name, entry in parameters.items():
        label = f"parameters.{name}"
        check_name(name, label="the name of a parameter")
        check_keys(check_mapping(entry, label), label, ("value",), ("value", "unit", "min", "max", "whole", "doc"))
        for key in ("unit", "doc"):
            _text(entry.get(key, ""), f"{label}.{key}")
        for key in ("min", "max"):
            bound = entry.get(key, 0.0)
            if isinstance(bound, bool) or not isinstance(bound, (int, float)) or math.isnan(bound):
                raise UserError(f"{label}.{key} = {quoted(bound)} is no number: YAML wants 1.0e-7 where 1e-7 is meant.")
        if not isinstance(entry.get("whole", False), bool):
            raise UserError(f"{label}.whole = {quoted(entry['whole'])} must be true or false.")
        check_value(parameter_info(name, entry), entry["value"], label=f"{label}.value")


def base_motion(value: Any) -> tuple[str, ...]:
    """Return the axes of `base.motion`, a name or a list of axes, in the order of `BASE_AXES`. Raise UserError."""
    if isinstance(value, str) and value in BASE_MOTIONS:
        return BASE_MOTIONS[value]
    if not isinstance(value, list) or any(value.count(axis) > 1 or axis not in BASE_AXES for axis in value):
        known = ", ".join(BASE_MOTIONS)
        raise UserError(
            f"base.motion = {quoted(value)} is not allowed: give one of {known}, or a list of {', '.join(BASE_AXES)}."
        )
    return tuple(axis for axis in BASE_AXES if axis in value)


def physical_value(value: Any, parameters: Mapping[str, Any], label: str) -> float:
    """Return a physical number of the file, which may be the name of a parameter. Raise UserError."""
    if isinstance(value, str):
        value = named_value(value, parameters, label)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0.0:
        raise UserError(
            f"{label} = {quoted(value)} is not allowed: give a number of at least 0, or a parameter's name."
        )
    return float(value)


def parameter_info(name: str, entry: Mapping[str, Any]) -> ParameterInfo:
    """Return the description of an entry of `parameters`."""
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
    """Return `value`, the entry `label` of a robot file. Raise UserError where it is no mapping."""
    if not isinstance(value, dict):
        raise UserError(f"{label} must hold 'key: value' pairs, but is {quoted(value)}.")
    return value


def _section(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a section that may be missing or empty."""
    value = document.get(name)
    return {} if value is None else check_mapping(value, name)


def _text(value: Any, label: str) -> None:
    if not isinstance(value, str):
        raise UserError(f"{label} = {quoted(value)} must be text.")


def check_keys(entry: Mapping[str, Any], label: str, needed: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise UserError where the entry `label` lacks a needed key, or has one that is not allowed."""
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
