"""The recorder node: writes a run as a rosbag2 directory with MCAP storage."""

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
from rclpy.node import Node
from rclpy.serialization import serialize_message
from rosbags.interfaces import Connection
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from crawler_bringup.recorder.crash_safe_bag import CrashSafeBag
from crawler_bringup.recorder.reorder_buffer import Entry, ReorderBuffer
from crawler_bringup.recorder.run_clock import RunClock
from crawler_bringup.recorder.software_versions import software_versions
from crawler_core.errors import UserError
from crawler_core.parameters import parameter
from crawler_nodes.diagnostics import ERROR, OK, DiagnosticsReporter
from crawler_nodes.messages.header import read_stamp_ns
from crawler_nodes.node_main import run_node
from crawler_nodes.parameters import NodeParameters
from crawler_nodes.topics import JOINT_COMMANDS, JOINT_STATES, RECORDED, Topic
from crawler_nodes.transport.tap import Tap

RUN_TOPIC = Topic("run_description", String)
STAMP_BYTES = 8
DRAIN_PERIOD_S = 0.05
WRITE_PERIOD_S = 0.12  # lost messages are sent again after 0.1 s, and still get their place in the order
FLUSH_PERIOD_S = 0.25  # a recorder that is killed loses this much at most
REPORT_PERIOD_S = 0.5
SHUTDOWN_GRACE_S = 0.8  # for the last messages of nodes that end at the same time
ERROR_REPORT_S = 1.0  # a recorder that gives up publishes the reason for so long


@dataclass(frozen=True)
class RecorderSettings:
    """Parameters of the node."""

    directory: str = parameter("recording", doc="directory of the recording; must not exist yet", constant=True)
    run: str = parameter("", doc="YAML that describes the run, recorded as the first message", constant=True)
    simulated: bool = parameter(False, doc="true: time is that of the states; false: the wall clock", constant=True)


class RecorderNode(Node):
    """Taps every topic of the stack and writes the serialised messages under the run's own time."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("recorder", **node_options)
        parameters = NodeParameters(self)
        self._settings = settings = parameters.declare(RecorderSettings)
        parameters.reject_unknown(section="recorder")
        self._diagnostics = DiagnosticsReporter(self)
        self._run_clock = RunClock(settings.simulated)
        self._buffer = ReorderBuffer()
        self._typestore = _typestore()
        self.count = 0  # messages received
        try:
            self._bag = CrashSafeBag(Path(settings.directory))
            *others, states = [(topic, self._callback(topic)) for topic in RECORDED]
            self._write_run_description()
        except OSError as error:
            why = error.strerror or str(error)
            raise UserError(f"the recording {settings.directory} cannot be written: {why}.") from None
        self._others = Tap(self, others)
        self._states = Tap(self, [states])  # drained first: the states set the time

    def drain(self) -> None:
        """Take the messages that wait in the middleware."""
        self.count += self._states.drain() + self._others.drain()

    def write(self) -> None:
        """Write the messages that no earlier one can precede any more. Raises OSError."""
        self._write(self._buffer.pop_due())

    def flush(self) -> None:
        """Put all written messages on the disk. Raises OSError."""
        self._bag.flush()

    def finish(self) -> None:
        """Write the remaining messages and the index. Raises OSError."""
        self.drain()
        self._write(self._buffer.pop_all())
        self._bag.flush()  # without room for the index the messages are complete nevertheless
        self._bag.close()

    def has_publishers(self) -> bool:
        """Return whether states or commands may still come."""
        return any(self.count_publishers(topic.name) for topic in (JOINT_STATES, JOINT_COMMANDS))

    def report(self, error: str = "") -> None:
        """Publish the recorder's diagnostics."""
        values = {"messages": self.count, "directory": self._settings.directory}
        self._diagnostics.set(ERROR if error else OK, error or "recording", values)
        self._diagnostics.publish()

    def report_failure(self, error: OSError, seconds: float) -> UserError:
        """Publish for `seconds` why the recording ends, as the log may have no room either; return the error."""
        why = error.strerror or str(error)
        text = f"the recording {self._settings.directory} ends here: {why}; what is there can be read, so make room."
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.report(text)
            time.sleep(DRAIN_PERIOD_S)
        return UserError(text)

    def _write_run_description(self) -> None:
        versions = yaml.safe_dump({"versions": software_versions()}, sort_keys=False)
        description = serialize_message(String(data=f"{self._settings.run}{versions}"))
        self._buffer.add(self._run_clock.now, self._connection(RUN_TOPIC), description)
        self._write(self._buffer.pop_all())
        self._bag.flush()

    def _write(self, entries: list[Entry]) -> None:
        for time_ns, connection, data in entries:
            self._bag.write(connection, time_ns, data)

    def _connection(self, topic: Topic) -> Connection:
        package = topic.type.__module__.split(".")[0]
        name = self.resolve_topic_name(topic.name)
        return self._bag.add_connection(name, f"{package}/msg/{topic.type.__name__}", self._typestore)

    def _callback(self, topic: Topic) -> Callable[[bytes, dict[str, Any]], None]:
        """Return the function that takes the messages of a topic."""
        connection, offset, is_state = self._connection(topic), stamp_offset(topic.type), topic is JOINT_STATES

        def receive(data: bytes, _info: dict[str, Any]) -> None:
            if is_state:
                self._run_clock.observe_state(data)
            stamp = read_stamp_ns(data, offset) if offset and len(data) >= offset + STAMP_BYTES else None
            self._buffer.add(self._run_clock.timestamp(stamp), connection, data)

        return receive


def stamp_offset(message: type) -> int:
    """Return the position (bytes) of the first stamp in a serialised message of this type; 0: it has none."""
    if message is TFMessage:
        return 8  # behind the length of the list
    fields: dict[str, str] = message.get_fields_and_field_types()  # type: ignore[attr-defined]
    return 4 if next(iter(fields.values())) in ("std_msgs/Header", "builtin_interfaces/Time") else 0


def record(node: RecorderNode, asked_to_end: Callable[[], bool]) -> None:
    """Record until asked to end, and then until the publishers have gone. Raises UserError where the disk fails."""
    write_due = flush_due = report_due = 0.0
    ending, deadline = False, math.inf
    try:
        while not ending or (node.has_publishers() and time.monotonic() <= deadline):
            if not ending and asked_to_end():
                ending, deadline = True, time.monotonic() + SHUTDOWN_GRACE_S
            node.drain()
            now = time.monotonic()
            if now >= write_due:
                write_due = now + WRITE_PERIOD_S
                node.write()
            if now >= flush_due:
                flush_due = now + FLUSH_PERIOD_S
                node.flush()
            if now >= report_due:
                report_due = now + REPORT_PERIOD_S
                node.report()
            time.sleep(DRAIN_PERIOD_S)
        node.finish()
    except OSError as error:
        raise node.report_failure(error, 0.0 if ending else ERROR_REPORT_S) from None
    print(f"{node.count} messages recorded", file=sys.stderr)


def _typestore() -> Typestore:
    """Return the definitions of all message types that are recorded."""
    store = get_typestore(Stores.ROS2_JAZZY)
    for file in sorted(Path(get_package_share_directory("crawler_interfaces"), "msg").glob("*.msg")):
        store.register(get_types_from_msg(file.read_text(), f"crawler_interfaces/msg/{file.stem}"))
    return store


def main() -> None:
    run_node(RecorderNode, loop=record)
