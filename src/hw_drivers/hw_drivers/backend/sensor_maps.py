"""The keys `hardware.sensors` of a robot file, which say where each declared sensor is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crawler_core.errors import UserError, unknown_name
from crawler_core.parameters import build
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.robot.schema import check_mapping
from crawler_core.sensors.sensor_spec import TOPIC_KINDS, SensorSpec
from hw_drivers.sensors.sensor_kinds import SENSOR_KINDS
from hw_drivers.sensors.sensor_map import SensorKind, SensorMap


def sensor_maps(spec: RobotSpec, entries: Mapping[str, Any], buses: Mapping[str, str]) -> tuple[SensorMap, ...]:
    """Read the section. `buses` has the kind of each bus by its name. Raises UserError."""
    declared = {sensor.name: sensor for sensor in spec.sensors}
    maps = []
    for name, entry in entries.items():
        if name not in declared:
            raise unknown_name("sensor that the robot file declares", str(name), declared)
        maps.append(_sensor_map(declared[name], dict(check_mapping(entry, f"hardware.sensors.{name}")), buses))
    _no_duplicates(maps)
    for sensor in unmapped_sensors(spec, maps):
        if sensor.required:
            raise UserError(
                f"the sensor {sensor.name} is required, but nothing reads it: write hardware.sensors.{sensor.name}, or "
                f"set sensors.{sensor.name}.required to false."
            )
    return tuple(maps)


def unmapped_sensors(spec: RobotSpec, maps: Sequence[SensorMap]) -> list[SensorSpec]:
    """Return the sensors that a run on hardware does without."""
    mapped = {sensor.name for sensor in maps}
    return [sensor for sensor in spec.sensors if sensor.name not in mapped and sensor.kind not in TOPIC_KINDS]


def _sensor_map(sensor: SensorSpec, entry: dict[str, Any], buses: Mapping[str, str]) -> SensorMap:
    label = f"hardware.sensors.{sensor.name}"
    kind_name = entry.pop("kind", None)
    if kind_name is None:
        raise UserError(f"{label}.kind is missing: it is one of {', '.join(SENSOR_KINDS)}.")
    kind = SENSOR_KINDS[str(kind_name)]
    if sensor.kind not in kind.measures:
        able = [name for name in SENSOR_KINDS if sensor.kind in SENSOR_KINDS[name].measures]
        instead = f"it is one of {', '.join(able)}" if able else "no driver reads such a sensor: leave it out"
        raise UserError(f"{label}.kind = {kind_name} is not allowed for a sensor of kind {sensor.kind}: {instead}.")
    found = SensorMap(sensor, str(kind_name), build(kind.settings, entry, section=label))
    if kind.bus_kinds:
        _check_bus(found, kind, buses)
    if kind.check is not None:
        kind.check(found)
    return found


def _check_bus(sensor: SensorMap, kind: SensorKind, buses: Mapping[str, str]) -> None:
    if sensor.bus not in buses:
        raise unknown_name(f"bus for {sensor.key}.bus", sensor.bus, buses)
    if buses[sensor.bus] not in kind.bus_kinds:
        raise UserError(
            f"{sensor.key}.bus = {sensor.bus} is not allowed: a bus of kind {buses[sensor.bus]} does not read it, but "
            f"one of kind {' or '.join(kind.bus_kinds)} does."
        )


def _no_duplicates(maps: Sequence[SensorMap]) -> None:
    """Raise UserError where two sensors are one device."""
    devices: dict[object, SensorMap] = {}
    for sensor in maps:
        place = "imu" if sensor.kind_name == "board" and sensor.sensor.kind == "imu" else sensor.settings
        switch = sensor.sensor.kind == "contact_switch"
        other = devices.setdefault((sensor.kind_name, sensor.bus, switch, place), sensor)
        if other is not sensor:
            raise UserError(f"{other.key} and {sensor.key} are the same device: give each its own.")
