"""The state of a running stack as the page shows it, from the stack's messages. It needs no browser and no network."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from crawler_interfaces.msg import ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from crawler_core.errors import UserError
from crawler_core.gait_metrics.heading import WORLD_HEADING, Heading
from crawler_core.robot.robot_file import load_robot, robot_names
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode, SensorReading
from crawler_nodes.messages.header import SECOND_NS, read_stamp_s
from crawler_nodes.messages.sensor_readings import SensorReadingsReader, reading_values
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.run_log.stride_metrics import latest_step
from crawler_nodes.topics import (
    CONTACT_STATES,
    CONTROLLER_STATE,
    DIAGNOSTICS,
    GROUND_TRUTH,
    JOINT_STATES,
    ODOM,
    ROBOT_DESCRIPTION,
    SENSOR_READINGS,
)
from crawler_nodes.transport.tap import TopicCallbacks
from crawler_view.scene.robot_scene import MAX_NUMBER, read_scene

STATE_TIMEOUT_S = 1.0
PACE_PERIOD_S = 0.4  # over which the pace is measured, at least
NEWS = ("motion", "changed_ns", "paused", "time")  # values of reports that are shown at once
STEP_PERIOD_S = 0.2  # between two measurements of the latest step
QUEUE_DEPTH = 64  # messages; older ones are dropped
RAIL_MOTION = ("x", "z")  # of a base that a rail keeps upright and in line
MODE_NAMES = {int(mode): mode.name.lower() for mode in ContactMode}


class LiveState:
    """The present state of one stack: `scene` per robot, `frame` per joint state, `status` per diagnostics message.

    The base is where the simulation's truth has it; where there is none, or with `as_believed`, where odom has it.
    """

    def __init__(self, as_believed: bool = False) -> None:
        self._as_believed = as_believed
        self.scene: dict[str, Any] | None = None
        self.scene_count = 0  # changes of the scene
        self.scene_error = ""  # why the latest description is not shown
        self._urdf = b""
        self._nodes: dict[str, dict[str, Any]] = {}
        self._has_news = False
        self._reset()

    def _reset(self, spec: RobotSpec | None = None) -> None:
        self._yaws = spec is not None and "yaw" in spec.base_motion
        self._log = RunLog() if spec is None else RunLog.of(spec)
        self._by_events = self._log.strides.spec.event != "period"
        self._joints = self._contacts = self._odometry = self._truth = self._controller = b""
        self._state_time = -math.inf  # s on the steady clock, of the latest joint state
        self._kinds = {} if spec is None else {sensor.name: sensor.kind for sensor in spec.sensors}
        self._read_readings = None if spec is None else SensorReadingsReader(spec)
        self._readings: dict[str, SensorReading] = {}  # the latest of each sensor
        self._step_time, self._step = -math.inf, math.nan
        self._last_status: tuple[float, float] | None = None  # s on the steady clock, and of the run
        self._pace: float | None = None

    def topics(self) -> TopicCallbacks:
        """Return the topics to subscribe to at once. Lost messages of the fast ones are not sent again."""
        return [
            (ROBOT_DESCRIPTION, self.on_description),
            (replace(DIAGNOSTICS, depth=QUEUE_DEPTH), self.on_diagnostics),
            (replace(GROUND_TRUTH, depth=QUEUE_DEPTH, reliable=False), self.on_ground_truth),
            (replace(ODOM, depth=QUEUE_DEPTH, reliable=False), self.on_odometry),
            (replace(CONTACT_STATES, depth=QUEUE_DEPTH, reliable=False), self.on_contacts),
            (replace(CONTROLLER_STATE, depth=1, reliable=False), self.on_controller),
            (replace(SENSOR_READINGS, depth=QUEUE_DEPTH, reliable=False), self.on_readings),
        ]

    def joint_topics(self) -> TopicCallbacks:
        """Return joint_states, to subscribe to once `is_running`: until then a backend counts its subscribers."""
        return [(replace(JOINT_STATES, depth=1, reliable=False), self.on_joints)]

    @property
    def is_running(self) -> bool:
        """Return whether the time of the stack passes."""
        ticks = self._nodes.get("backend", {}).get("values", {}).get("ticks", "0")
        return bool(self._odometry or self._truth or self._contacts or self._controller or ticks != "0")

    @property
    def latest_state(self) -> bytes:
        """Return the message that `frame` is made of: a new object for each state."""
        return self._joints

    @property
    def is_silent(self) -> bool:
        """Return whether states have stopped coming."""
        return time.monotonic() - self._state_time > STATE_TIMEOUT_S

    def on_description(self, data: bytes, _info: Any = None) -> None:
        """Take the robot's URDF; another robot resets everything."""
        if data == self._urdf:
            return
        self._urdf = data
        try:
            self.scene = read_scene(deserialize_message(data, String).data)
        except (ElementTree.ParseError, ValueError, AssertionError) as error:
            self.scene_error = str(error) or "a joint in it has no parent or child"
            return  # the robot before is still shown
        self.scene_count += 1
        spec = _load_installed(self.scene["robot"])
        self.scene["passive"] = [] if spec is None else [joint.name for joint in spec.joints if not joint.actuated]
        self.scene["rail"] = spec is not None and spec.base_motion == RAIL_MOTION
        self.scene["yaws"] = spec is not None and "yaw" in spec.base_motion
        self._reset(spec)

    def on_diagnostics(self, data: bytes, _info: Any = None) -> None:
        """Take the report of a node."""
        for status in deserialize_message(data, DiagnosticArray).status:
            name = status.name.rsplit("/", 1)[-1]
            values = {entry.key: entry.value for entry in status.values}
            before = self._nodes.get(name, {"values": {}})
            self._has_news |= any(before["values"].get(key) != values.get(key) for key in NEWS)
            self._nodes[name] = {
                "level": int.from_bytes(status.level, "little"),
                "message": status.message,
                "values": values,
            }

    @property
    def has_news(self) -> bool:
        """Return whether something in the reports has changed that a person waits for."""
        return self._has_news

    def on_joints(self, data: bytes, _info: Any = None) -> None:
        """Take a joint state."""
        self._joints = data
        self._state_time = time.monotonic()

    def on_odometry(self, data: bytes, info: Any = None) -> None:
        """Take the pose of the base as the robot believes it."""
        self._odometry = data
        self._log.on_odometry(data, info or {})

    def on_ground_truth(self, data: bytes, info: Any = None) -> None:
        """Take the pose of the base in a simulation."""
        self._truth = data
        self._log.on_ground_truth(data, info or {})

    def on_contacts(self, data: bytes, info: Any = None) -> None:
        """Take the contacts of the feet."""
        self._contacts = data
        if self._by_events:
            self._log.on_contacts(data, info or {})

    def on_controller(self, data: bytes, _info: Any = None) -> None:
        """Take the state of the control law."""
        self._controller = data

    def on_readings(self, data: bytes, _info: Any = None) -> None:
        """Take the readings of the sensors; those of a robot that is not installed here cannot be read."""
        if self._read_readings is None:
            return
        with suppress(UserError):  # another robot's
            self._readings |= {reading.sensor: reading for reading in self._read_readings(data).readings}

    def frame(self) -> dict[str, Any] | None:
        """Return the robot now; None before the first state. Unknown numbers are None, as JSON has no NaN."""
        if not self._joints or self.scene is None:
            return None
        message = deserialize_message(self._joints, JointState)
        count = min(len(message.name), len(message.position))
        base, heading = self._base()
        return {
            "t": read_stamp_s(self._joints),
            "names": list(message.name[:count]),
            "position": finite_or_none(message.position[:count]),
            "velocity": finite_or_none(message.velocity),
            "base": base,
            "feet": self._feet(heading),
            "sensors": self._sensors(),
            "distance": finite_or_none([self._log.base.distance])[0] if self._odometry or self._truth else None,
            "step": finite_or_none([self._latest_step()])[0],
            "branch": deserialize_message(self._controller, ControllerState).branch if self._controller else "",
        }

    def status(self) -> dict[str, Any]:
        """Return the reports of the nodes, and the pace of the run's time against real time."""
        self._has_news = False
        now, run_time = time.monotonic(), read_stamp_s(self._joints) if self._joints else math.nan
        if self._last_status is None or now - self._last_status[0] > PACE_PERIOD_S:
            since, before = self._last_status or (now - 1.0, math.nan)
            self._pace = finite_or_none([(run_time - before) / (now - since)])[0]
            self._last_status = now, run_time
        return {"nodes": self._nodes, "pace": self._pace, "silent": self.is_silent}

    def _base(self) -> tuple[list[float] | None, Heading]:
        is_truth = self._log.base is self._log.truth and not self._as_believed
        data = self._truth if is_truth else self._odometry
        if not data:
            return None, WORLD_HEADING
        pose = deserialize_message(data, Odometry).pose.pose
        p, q = pose.position, pose.orientation
        attitude = (q.w, q.x, q.y, q.z)
        is_pose = all(abs(value) <= MAX_NUMBER for value in (p.x, p.y, p.z)) and 0.1 < math.hypot(*attitude) < 10.0
        if not is_pose:  # false for NaN
            return None, WORLD_HEADING
        heading = Heading.of(attitude) if self._yaws else WORLD_HEADING
        return [p.x, p.y, p.z, *attitude], heading

    def _feet(self, heading: Heading) -> list[dict[str, Any]]:
        if not self._contacts:
            return []
        return [
            {
                "foot": entry.foot,
                "mode": MODE_NAMES.get(entry.mode, "unknown"),
                "force": finite_or_none((entry.force.x, entry.force.y, entry.force.z)),
                "slip": finite_or_none([heading.forward(entry.slip_velocity.x, entry.slip_velocity.y)])[0],
            }
            for entry in deserialize_message(self._contacts, ContactStateArray).contacts
        ]

    def _sensors(self) -> list[dict[str, Any]]:
        """Return the latest values of each sensor, in the order of its message, and their age (s)."""
        now = read_stamp_s(self._joints)
        found = [(name, kind, self._readings[name]) for name, kind in self._kinds.items() if name in self._readings]
        return [
            {
                "name": name,
                "kind": kind,
                "age": finite_or_none([now - reading.time_ns / SECOND_NS])[0],
                "values": finite_or_none(reading_values(reading)),
            }
            for name, kind, reading in found
        ]

    def _latest_step(self) -> float:
        now = time.monotonic()
        if now - self._step_time > STEP_PERIOD_S:
            self._step_time = now
            self._step = latest_step(self._log, self._period) if self._by_events or self._period else math.nan
        return self._step

    @property
    def _period(self) -> float:
        try:
            return float(self._nodes.get("gait", {}).get("values", {}).get("period", "0"))
        except ValueError:
            return 0.0


def finite_or_none(values: Sequence[float]) -> list[float | None]:
    """Return numbers for JSON, rounded to six decimal places; None for NaN and infinity."""
    return [round(value, 6) if math.isfinite(value) else None for value in values]


def _load_installed(name: str) -> RobotSpec | None:
    """Return the robot of this name; None where it is not installed here."""
    try:
        return load_robot(name) if name in robot_names() else None
    except UserError:
        return None
