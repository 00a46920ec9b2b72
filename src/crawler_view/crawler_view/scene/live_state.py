"""What the page shows of a running ring, from the ring's messages alone. No browser and no network are needed here."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from crawler_interfaces.msg import ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from crawler_core.errors import UserError
from crawler_core.gait_metrics.heading import AHEAD, Heading
from crawler_core.robot.robot_file import load_robot, robot_names
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode
from crawler_nodes.run_log.log import RunLog, Topics
from crawler_nodes.run_log.stride_metrics import latest_step
from crawler_nodes.transport.tap import Topic, stamp_of
from crawler_view.scene.robot_scene import read_scene

SILENT = 1.0  # s without a state, after which the ring is said to be silent
MEASURES = 0.2  # s between two looks at the latest step
WAITING = 64  # messages that wait for the next look; what is older is gone
MODES = {int(mode): mode.name.lower() for mode in ContactMode}


class LiveState:
    """The present of one ring. `scene` changes with the robot, `frame` with each state, `status` with each report."""

    def __init__(self) -> None:
        self.scene: dict[str, Any] | None = None
        self.scenes = 0  # how often it has changed
        self.reports = 0  # diagnostics that came
        self._urdf = b""
        self._nodes: dict[str, dict[str, Any]] = {}
        self._forget()

    def _forget(self, spec: RobotSpec | None = None) -> None:
        self._yaws = spec is not None and "yaw" in spec.base_motion
        self._log = RunLog() if spec is None else RunLog.of(spec)
        self._by_events = self._log.stride.cut != "period"
        self._joints = self._contacts = self._odometry = self._controller = b""
        self._heard = -math.inf  # when the latest state came, on the steady clock
        self._measured, self._step = -math.inf, math.nan
        self._pace: tuple[float, float] | None = None  # wall and run's time, of the status before

    def topics(self) -> Topics:
        """What is listened to; joint_states is left to `joints`, which a backend counts as one of its readers.

        What flows is not asked for again where it is lost: the ring waits for nobody who only looks.
        """
        return [
            (Topic("robot_description", String, latched=True, depth=1), self.on_description),
            (Topic("diagnostics", DiagnosticArray, depth=WAITING), self.on_diagnostics),
            (Topic("odom", Odometry, depth=WAITING, reliable=False), self.on_odometry),
            (Topic("contact_states", ContactStateArray, depth=WAITING, reliable=False), self.on_contacts),
            (Topic("controller_state", ControllerState, reliable=False, depth=1), self.on_controller),
        ]

    def joints(self) -> Topics:
        """To be listened to once `running`: before that it would be taken for one of those that time waits for."""
        return [(Topic("joint_states", JointState, reliable=False, depth=1), self.on_joints)]

    @property
    def running(self) -> bool:
        """Whether the ring's time goes by."""
        ticks = self._nodes.get("backend", {}).get("values", {}).get("ticks", "0")
        return bool(self._odometry or self._contacts or self._controller or ticks != "0")

    @property
    def latest(self) -> bytes:
        """The state that `frame` is of, another object for each that came."""
        return self._joints

    @property
    def silent(self) -> bool:
        """Whether no state has come for a while."""
        return time.monotonic() - self._heard > SILENT

    def on_description(self, data: bytes, _info: Any = None) -> None:
        """The robot; another one than before begins anew."""
        if data == self._urdf:
            return
        self._urdf = data
        try:
            self.scene = read_scene(deserialize_message(data, String).data)
        except (ElementTree.ParseError, ValueError):
            return  # the ring before is still shown
        self.scenes += 1
        spec = _installed(self.scene["robot"])
        self.scene["passive"] = [] if spec is None else [joint.name for joint in spec.joints if not joint.actuated]
        self._forget(spec)

    def on_diagnostics(self, data: bytes, _info: Any = None) -> None:
        """What a node says of itself."""
        for status in deserialize_message(data, DiagnosticArray).status:
            name = status.name.rsplit("/", 1)[-1]
            values = {entry.key: entry.value for entry in status.values}
            self._nodes[name] = {
                "level": int.from_bytes(status.level, "little"),
                "message": status.message,
                "values": values,
            }
            self.reports += 1

    def on_joints(self, data: bytes, _info: Any = None) -> None:
        """A state."""
        self._joints = data
        self._heard = time.monotonic()

    def on_odometry(self, data: bytes, info: Any = None) -> None:
        """Where the base is."""
        self._odometry = data
        self._log.on_odometry(data, info or {})

    def on_contacts(self, data: bytes, info: Any = None) -> None:
        """What the feet do."""
        self._contacts = data
        if self._by_events:
            self._log.on_contacts(data, info or {})

    def on_controller(self, data: bytes, _info: Any = None) -> None:
        """What the law does."""
        self._controller = data

    def frame(self) -> dict[str, Any] | None:
        """The robot now; None before the first state. What is unknown is None, as JSON has no NaN."""
        if not self._joints or self.scene is None:
            return None
        message = deserialize_message(self._joints, JointState)
        base, heading = self._base()
        return {
            "t": stamp_of(self._joints),
            "names": list(message.name),
            "position": known(message.position),
            "velocity": known(message.velocity),
            "base": base,
            "feet": self._feet(heading),
            "distance": self._log.distance if self._odometry else None,
            "step": known([self._latest_step()])[0],
            "branch": deserialize_message(self._controller, ControllerState).branch if self._controller else "",
        }

    def status(self) -> dict[str, Any]:
        """What the nodes say, and how fast time goes by."""
        now, at = time.monotonic(), stamp_of(self._joints) if self._joints else math.nan
        pace = None
        if self._pace is not None and now > self._pace[0]:
            pace = known([(at - self._pace[1]) / (now - self._pace[0])])[0]
        self._pace = now, at
        return {"nodes": self._nodes, "pace": pace, "silent": self.silent}

    def _base(self) -> tuple[list[float] | None, Heading]:
        if not self._odometry:
            return None, AHEAD
        pose = deserialize_message(self._odometry, Odometry).pose.pose
        p, q = pose.position, pose.orientation
        attitude = (q.w, q.x, q.y, q.z)
        heading = Heading.of(attitude) if self._yaws else AHEAD
        return [p.x, p.y, p.z, *attitude], heading

    def _feet(self, heading: Heading) -> list[dict[str, Any]]:
        if not self._contacts:
            return []
        return [
            {
                "foot": entry.foot,
                "mode": MODES.get(entry.mode, "unknown"),
                "force": known((entry.force.x, entry.force.y, entry.force.z)),
                "slip": known([heading.along(entry.slip_velocity.x, entry.slip_velocity.y)])[0],
            }
            for entry in deserialize_message(self._contacts, ContactStateArray).contacts
        ]

    def _latest_step(self) -> float:
        now = time.monotonic()
        if now - self._measured > MEASURES:
            self._measured = now
            self._step = latest_step(self._log, self._period) if self._by_events or self._period else math.nan
        return self._step

    @property
    def _period(self) -> float:
        try:
            return float(self._nodes.get("gait", {}).get("values", {}).get("period", "0"))
        except ValueError:
            return 0.0


def known(values: Sequence[float]) -> list[float | None]:
    """Numbers for JSON, to a millionth."""
    return [round(value, 6) if math.isfinite(value) else None for value in values]


def _installed(name: str) -> RobotSpec | None:
    """The robot of that name, which says where strides end; None for one that is not installed here."""
    try:
        return load_robot(name) if name in robot_names() else None
    except UserError:
        return None
