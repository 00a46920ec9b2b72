"""Records a run as a rosbag2 directory with MCAP storage, which Foxglove, rosbag2 and rosbags open."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_directory
from crawler_interfaces.msg import ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import ParameterEvent
from rclpy.node import Node
from rclpy.serialization import serialize_message
from rosbags.interfaces import Connection
from rosbags.rosbag2 import WriterError
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory

from crawler_bringup.recorder.crash_safe_bag import CrashSafeBag
from crawler_bringup.recorder.run_clock import ReorderBuffer, RunClock
from crawler_bringup.recorder.software_versions import versions
from crawler_core.errors import UserError
from crawler_core.parameters import parameter
from crawler_nodes.diagnostics import ERROR, OK, DiagnosticsReporter
from crawler_nodes.node_main import run_loop
from crawler_nodes.parameters import declare, refuse_unknown
from crawler_nodes.transport.tap import Tap, Topic, nanoseconds_of

# where in a serialised message its first stamp stands; a TFMessage has the length of its list before that
STAMPS: dict[type, int] = {
    JointState: 4,
    ContactStateArray: 4,
    ControllerState: 4,
    DiagnosticArray: 4,
    Odometry: 4,
    JointTrajectory: 4,
    ParameterEvent: 4,
    TFMessage: 8,
}
TOPICS = (
    Topic("contact_states", ContactStateArray, depth=5000),
    Topic("contact_estimates", ContactStateArray, depth=5000),
    Topic("odom", Odometry),
    Topic("controller_state", ControllerState),
    Topic("gait_reference", JointTrajectory, latched=True),
    Topic("cmd_vel", Twist),
    Topic("motion_state", DiagnosticStatus, latched=True, depth=10),
    Topic("robot_description", String, latched=True, depth=1),
    Topic("/tf", TFMessage),
    Topic("/tf_static", TFMessage, latched=True, depth=10),
    Topic("diagnostics", DiagnosticArray),
    Topic("/parameter_events", ParameterEvent),
)
# these last, each after the others of the same sender, since nodes hear of subscriptions in their order: when the
# controller sees that its commands are heard, and the backend that its states are, the ring may go on
COMMANDS = Topic("joint_commands", JointState, depth=5000)
STATES = Topic("joint_states", JointState, depth=5000)
LAST = (COMMANDS.name, STATES.name)
RUN_TOPIC = "run_description"
DRAIN_EVERY = 0.05  # s
TURN_EVERY = 0.12  # s; what was missed comes again a tenth of a second later, and still into its place
FLUSH_EVERY = 0.25  # s; what a recorder that is killed has heard before that is in the file
SAY_EVERY = 0.5  # s
SHUTDOWN_GRACE_S = 0.8  # s at most that a recorder goes on for those who were asked to end with it
FAREWELL = 1.0  # s in which a recorder that gives up says why


@dataclass(frozen=True)
class RecorderSettings:
    """Parameters of the node."""

    directory: str = parameter("recording", doc="where the recording goes; must not exist yet", constant=True)
    run: str = parameter("", doc="YAML that describes the run, kept as the first message", constant=True)
    simulated: bool = parameter(False, doc="time is that of the states, and not the wall clock's", constant=True)


class RecorderNode(Node):
    """Taps every topic of the ring and writes the bytes as they come, on the run's own time."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("recorder", **node_options)
        self._settings = settings = declare(self, RecorderSettings)
        refuse_unknown(self, section="recorder")
        self._diagnostics = DiagnosticsReporter(self)
        self._store = get_typestore(Stores.ROS2_JAZZY)
        for file in sorted(Path(get_package_share_directory("crawler_interfaces"), "msg").glob("*.msg")):
            self._store.register(get_types_from_msg(file.read_text(), f"crawler_interfaces/msg/{file.stem}"))
        self._time = RunClock(settings.simulated)
        self._order: ReorderBuffer[Connection] = ReorderBuffer()
        self.count = 0
        try:
            self._bag = CrashSafeBag(Path(settings.directory))
            self._bag.open()
            *others, states = [(topic, self._hearing(topic)) for topic in (*TOPICS, COMMANDS, STATES)]
            about = self._connect(self.resolve_topic_name(RUN_TOPIC), String)
            said = yaml.safe_dump({"versions": versions()}, sort_keys=False)
            self._order.add(self._time.now, about, serialize_message(String(data=f"{settings.run}{said}")))
            self.write(last=True)
            self._bag.flush()
        except (WriterError, OSError) as error:
            why = getattr(error, "strerror", None) or str(error).rstrip(".")
            raise UserError(f"the recording {settings.directory} cannot be written: {why}.") from None
        self._others = Tap(self, others)
        self._states = Tap(self, [states])  # emptied first: they say what time it is

    def drain(self) -> None:
        """Take what has come."""
        self.count += self._states.drain() + self._others.drain()

    def write(self, *, last: bool = False) -> None:
        """Write what nothing can come before any more, or the `last` of all. Raises OSError."""
        for when, connection, data in self._order.turn(last=last):
            self._bag.write(connection, when, data)

    def flush(self) -> None:
        """Let the file have what was written. Raises OSError."""
        self._bag.flush()

    def finish(self) -> None:
        """Write what is left, and the index. Raises OSError."""
        self.drain()
        self.write(last=True)
        self._bag.flush()  # where there is no room for an index, the file is as whole as without one
        self._bag.close()

    @property
    def alone(self) -> bool:
        """Whether nobody is left whose last words may still be on their way."""
        return not any(map(self.count_publishers, LAST))

    def say(self, trouble: str = "") -> None:
        """Tell how it is, in diagnostics."""
        values = {"messages": self.count, "directory": self._settings.directory}
        self._diagnostics.set(ERROR if trouble else OK, trouble or "recording", values)
        self._diagnostics.publish()

    def give_up(self, error: OSError, farewell: float) -> UserError:
        """What is to be raised; it was said in diagnostics for `farewell` s by then, as the logs may have no room."""
        why = error.strerror or str(error)
        trouble = f"the recording {self._settings.directory} ends here: {why}; what is there can be read, so make room."
        until = time.monotonic() + farewell
        while time.monotonic() < until:
            self.say(trouble)
            time.sleep(DRAIN_EVERY)
        return UserError(trouble)

    def _connect(self, name: str, kind: type) -> Connection:
        package = kind.__module__.split(".")[0]
        return self._bag.add_connection(name, f"{package}/msg/{kind.__name__}", typestore=self._store)

    def _hearing(self, topic: Topic) -> Callable[[bytes, dict[str, Any]], None]:
        connection = self._connect(self.resolve_topic_name(topic.name), topic.type)
        at = STAMPS.get(topic.type, 0)
        is_state = topic is STATES

        def hear(data: bytes, _info: dict[str, Any]) -> None:
            if is_state:
                self._time.hear(data)
            stamp = nanoseconds_of(data, at) if at and len(data) >= at + 8 else None
            self._order.add(self._time.place(stamp), connection, data)

        return hear


def record(node: RecorderNode, asked_to_end: Callable[[], bool]) -> None:
    """Write until asked to end, and a little longer. Raises UserError where that is not possible any more."""
    turn_due = flush_due = say_due = 0.0
    asked, until = False, math.inf
    try:
        while not (asked and (node.alone or time.monotonic() > until)):
            if not asked and asked_to_end():
                asked, until = True, time.monotonic() + SHUTDOWN_GRACE_S
            node.drain()
            now = time.monotonic()
            if now >= turn_due:
                turn_due = now + TURN_EVERY
                node.write()
            if now >= flush_due:
                flush_due = now + FLUSH_EVERY
                node.flush()
            if now >= say_due:
                say_due = now + SAY_EVERY
                node.say()
            time.sleep(DRAIN_EVERY)
        node.finish()
    except OSError as error:
        raise node.give_up(error, 0.0 if asked else FAREWELL) from None
    print(f"{node.count} messages recorded", file=sys.stderr)


def main() -> None:
    run_loop(RecorderNode, record)
