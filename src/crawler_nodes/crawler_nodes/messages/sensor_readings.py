"""Messages of sensor_readings: all readings that arrived with one state.

The bytes of sender and sensors are made once for each set of sensors that deliver together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from struct import Struct
from typing import NamedTuple

from crawler_interfaces.msg import SensorReadings
from rclpy.serialization import deserialize_message

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BatteryReading, ForceReading, ImuReading, PoseReading, SensorReading, SwitchReading
from crawler_nodes.messages.header import ENCAPSULATION, SECOND_NS, STAMP, stamp_ns
from crawler_nodes.messages.joint_message import COUNT, STAMP_END, append_count, append_text

VALUES = {"imu": 6, "contact_switch": 1, "foot_force": 1, "battery": 2, "external_pose": 7}  # numbers in a reading
MAX_LAYOUTS = 64  # remembered; sensors of different rates deliver in many combinations


class ReadingsMessage(NamedTuple):
    """The content of a SensorReadings."""

    sender: str  # instance name of the backend
    stamp: int  # ns, of the state that the readings belong to
    readings: tuple[SensorReading, ...]


class SensorReadingsWriter:
    """Serialises sensor_readings."""

    def __init__(self, spec: RobotSpec, sender: str) -> None:
        """`sender` is the backend's instance name."""
        self._counts = _value_counts(spec)
        self._sender = sender
        self._layouts: dict[tuple[str, ...], _Layout] = {}

    def fill(self, time_ns: int, readings: Sequence[SensorReading]) -> bytes:
        """Return the message of the state at `time_ns`."""
        sensors = tuple([one.sensor for one in readings])
        layout = self._layouts.get(sensors)
        if layout is None:
            if len(self._layouts) >= MAX_LAYOUTS:
                self._layouts.clear()
            layout = self._layouts[sensors] = _Layout(self._sender, sensors, self._counts)
        values: list[float] = []
        for one in readings:
            values += reading_values(one)
        return layout.pack(time_ns, [one.time_ns for one in readings], values)


class SensorReadingsReader:
    """Deserialises sensor_readings. Raises UserError for content that the robot's sensors cannot have."""

    def __init__(self, spec: RobotSpec) -> None:
        self._counts = _value_counts(spec)
        self._kinds = {sensor.name: sensor.kind for sensor in spec.sensors}
        self._layouts: dict[bytes, _Layout] = {}  # by the bytes of sender and sensors
        self._ends: dict[int, set[int]] = {}  # where these bytes end, by the length of a message

    def __call__(self, data: bytes) -> ReadingsMessage:
        for end in self._ends.get(len(data), ()):
            layout = self._layouts.get(data[STAMP_END:end])
            if layout is not None and (content := layout.unpack(data)) is not None:
                return self._read(layout, *content)
        message = deserialize_message(data, SensorReadings)
        sensors = tuple(message.sensors)
        if unknown := [name for name in sensors if name not in self._kinds]:
            raise UserError(f"sensor_readings has readings of '{unknown[0]}', which is no sensor of this robot.")
        layout = _Layout(message.header.frame_id, sensors, self._counts)
        if len(message.times) != len(sensors) or len(message.values) != layout.value_count:
            raise UserError(
                f"sensor_readings has {len(message.times)} times and {len(message.values)} values for "
                f"{len(sensors)} readings: it must have {len(sensors)} and {layout.value_count}."
            )
        content = stamp_ns(message.header.stamp), message.times.tolist(), message.values.tolist()
        if layout.pack(*content) == data:
            self._remember(layout, len(data))
        return self._read(layout, *content)

    def _remember(self, layout: _Layout, length: int) -> None:
        if len(self._layouts) >= MAX_LAYOUTS:
            self._layouts.clear()
            self._ends.clear()
        self._layouts[layout.constant] = layout
        self._ends.setdefault(length, set()).add(STAMP_END + len(layout.constant))

    def _read(self, layout: _Layout, stamp: int, times: Sequence[int], values: Sequence[float]) -> ReadingsMessage:
        readings, at = [], 0
        for name, time_ns in zip(layout.sensors, times, strict=True):
            kind = self._kinds[name]
            end = at + VALUES[kind]
            own = values[at : at + 1] if kind == "battery" else values[at:end]  # its current may be unknown
            if not math.isfinite(sum(own)):
                raise UserError(f"sensor_readings has values of '{name}' that are not finite.")
            readings.append(_READ[kind](name, time_ns, values[at:end]))
            at = end
        return ReadingsMessage(layout.sender, stamp, tuple(readings))


class _Layout:
    """The byte layout of the messages of one sender with readings of the same sensors."""

    def __init__(self, sender: str, sensors: tuple[str, ...], counts: Mapping[str, int]) -> None:
        self.sender, self.sensors = sender, sensors
        self.value_count = sum(counts[name] for name in sensors)
        data = bytearray(STAMP.size)
        append_text(data, sender)
        append_count(data, len(sensors))
        for name in sensors:
            append_text(data, name)
        self.constant = bytes(data[STAMP.size :])
        form, at = "", len(data)
        for kind, count in (("q", len(sensors)), ("d", self.value_count)):
            before = -at % 4
            after = -(at + before + COUNT.size) % 8 if count else 0
            form += f"{before}xI{after}x{count}{kind}"
            at += before + COUNT.size + after + 8 * count
        self._rows = Struct("<" + form)
        self._rows_start = STAMP_END + len(self.constant)

    def pack(self, time_ns: int, times: Sequence[int], values: Sequence[float]) -> bytes:
        stamp = STAMP.pack(*divmod(time_ns, SECOND_NS))
        rows = self._rows.pack(len(times), *times, len(values), *values)
        return b"".join((ENCAPSULATION, stamp, self.constant, rows))

    def unpack(self, data: bytes) -> tuple[int, Sequence[int], Sequence[float]] | None:
        """Return the stamp, the times and the values of a message; None where its layout is another."""
        seconds, nanoseconds = STAMP.unpack_from(data, len(ENCAPSULATION))
        rows, count = self._rows.unpack_from(data, self._rows_start), len(self.sensors)
        if not data.startswith(ENCAPSULATION) or (rows[0], rows[1 + count]) != (count, self.value_count):
            return None
        return seconds * SECOND_NS + nanoseconds, rows[1 : 1 + count], rows[2 + count :]


def _value_counts(spec: RobotSpec) -> dict[str, int]:
    return {sensor.name: VALUES[sensor.kind] for sensor in spec.sensors}


def reading_values(reading: SensorReading) -> Sequence[float]:
    """Return the numbers of a reading, in the order of crawler_interfaces/SensorReadings."""
    match reading:
        case ImuReading(angular=angular, linear=linear):
            return *angular, *linear
        case SwitchReading(closed=closed):
            return (float(closed),)
        case ForceReading(force=force):
            return (force,)
        case BatteryReading(voltage=voltage, current=current):
            return voltage, current
        case PoseReading(position=position, quaternion=quaternion):
            return *position, *quaternion
    raise TypeError(f"{type(reading).__name__} has no message.")


def _read_imu(name: str, time_ns: int, values: Sequence[float]) -> SensorReading:
    p, q, r, x, y, z = values
    return ImuReading(name, time_ns, (p, q, r), (x, y, z))


def _read_pose(name: str, time_ns: int, values: Sequence[float]) -> SensorReading:
    x, y, z, *quaternion = values
    w, i, j, k = quaternion
    return PoseReading(name, time_ns, (x, y, z), (w, i, j, k))


_READ: dict[str, Callable[[str, int, Sequence[float]], SensorReading]] = {
    "imu": _read_imu,
    "contact_switch": lambda name, time_ns, values: SwitchReading(name, time_ns, bool(values[0])),
    "foot_force": lambda name, time_ns, values: ForceReading(name, time_ns, values[0]),
    "battery": lambda name, time_ns, values: BatteryReading(name, time_ns, values[0], values[1]),
    "external_pose": _read_pose,
}
