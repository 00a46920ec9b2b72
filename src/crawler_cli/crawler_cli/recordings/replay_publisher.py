"""Publish a recording again: what a stack reports, and nothing that drives a robot."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import rclpy
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from rclpy.signals import SignalHandlerOptions
from rosbags.interfaces import Connection
from rosgraph_msgs.msg import Clock
from tf2_msgs.msg import TFMessage

from crawler_core.parameters import parameter
from crawler_nodes import topics
from crawler_nodes.diagnostics import OK, DiagnosticsReporter
from crawler_nodes.messages.header import SECOND_NS, set_stamp
from crawler_nodes.parameters import NodeParameters
from crawler_studies.recordings.recording_reader import RecordingReader, has_message_type, stack_topic_name

SEEK_WINDOW_NS = 600_000_000  # before the time sought that is published at once: diagnostics come twice a second
REPORT_PERIOD_S = 0.2
SERVICE_PERIOD_S = 0.02  # between two looks for parameters that change
MAX_RECORDING_S = 1e7
MAX_GAP_S = 60.0  # of the recording's time; a longer one between two messages is replayed as this
REPLAYED = {  # by name; without joint_commands, gait_reference and cmd_vel, on which nodes act
    topic.name.strip("/"): topic
    for topic in (
        topics.JOINT_STATES,
        topics.CONTACT_STATES,
        topics.CONTACT_ESTIMATES,
        topics.GROUND_TRUTH,
        topics.ODOM,
        topics.CONTROLLER_STATE,
        topics.MOTION_STATE,
        topics.ROBOT_DESCRIPTION,
        topics.TF,
        topics.TF_STATIC,
        topics.DIAGNOSTICS,
    )
}


@dataclass(frozen=True)
class ReplaySettings:
    """The parameters of the node `replay`. Setting `time` again is another seek."""

    time: float = parameter(0.0, unit="s", lower=0.0, upper=MAX_RECORDING_S, doc="go to this time of the recording")
    paused: bool = parameter(False, doc="true: time stands still")


class ReplayPublisher:
    """Publishes in a namespace. Frame ids get it as prefix, in place of `recorded`, the recording's namespace.

    Parameters of its node go to another time and pause; its diagnostics have `time` and `end` (s), and `paused`.
    """

    def __init__(self, namespace: str, recorded: str) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[], signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("replay", context=self._context, namespace=namespace)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._prefix, self._recorded = f"{namespace.strip('/')}/", f"{recorded.strip('/')}/" if recorded else ""
        self._clock = self._node.create_publisher(Clock, "clock", 10)
        self._publishers = {
            name: self._node.create_publisher(
                topic.type, topic.name, topic.qos_with_depth(1 if topic.latched else topics.PER_TICK)
            )
            for name, topic in REPLAYED.items()
        }
        self.count = 0  # messages published
        self.is_steered = False  # a parameter has been set
        self._begin_ns = self._end_ns = self._time_ns = 0
        self._seek_ns: int | None = None  # wanted, not done yet
        self._served = self._reported = 0.0  # s on the steady clock
        self._diagnostics = DiagnosticsReporter(self._node)
        self._settings = NodeParameters(self._node).declare(ReplaySettings, on_change=self._change)

    def __enter__(self) -> ReplayPublisher:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def has_subscriber(self, name: str) -> bool:
        """Return whether a topic has a subscriber."""
        return bool(self._publishers[name].get_subscription_count())

    def _change(self, settings: ReplaySettings) -> None:
        before, self._settings, self.is_steered = self._settings, settings, True
        if settings.time != before.time or settings.paused == before.paused:
            self._seek_ns = min(self._begin_ns + round(settings.time * SECOND_NS), self._end_ns)

    def play(self, reader: RecordingReader, factor: float, hold: bool = False, timer: Any = time) -> None:
        """Publish every message in the recorded order, `factor` times as fast as it was recorded.

        A gap of more than MAX_GAP_S is shortened to that. With `hold`, or once it was steered, it pauses at the end
        until another time is sought. `timer` has `monotonic` and `sleep`.
        """
        replayed = [connection for connection in reader.connections if _is_replayed(connection)]
        self._begin_ns = self._time_ns = start_ns = reader.start_time
        self._end_ns = reader.end_time
        while replayed:
            self._play_from(start_ns, reader, replayed, factor, timer)
            if self._seek_ns is None and (hold or self.is_steered):
                self._wait_at_end()
            if self._seek_ns is None:
                return
            start_ns, self._seek_ns = self._seek_ns, None

    def _wait_at_end(self) -> None:
        """Pause until another time is sought; going on means from the beginning."""
        if not self._settings.paused:
            self._node.set_parameters([Parameter("paused", value=True)])
        while self._seek_ns is None and self._settings.paused:
            self._report(is_paused=True)
            self._executor.spin_once(timeout_sec=REPORT_PERIOD_S)
        if self._seek_ns is None:
            self._seek_ns = self._begin_ns

    def _play_from(
        self, start_ns: int, reader: RecordingReader, replayed: list[Connection], factor: float, timer: Any
    ) -> None:
        """Publish messages to the end, or until another time is sought; those before `start_ns` at once."""
        due, latest_ns, clock_ns = timer.monotonic(), start_ns, -1
        for connection, stamp, data in reader.messages(replayed, max(0, start_ns - SEEK_WINDOW_NS)):
            due += min(max(stamp - latest_ns, 0) * 1e-9, MAX_GAP_S) / factor
            latest_ns = max(stamp, latest_ns)
            due += self._wait_until(due, timer, can_pause=stamp > start_ns)
            if self._seek_ns is not None:
                return
            clock, name = Clock(), _name(connection)
            with reader.content_errors():
                set_stamp(clock.clock, stamp)
                message = self._with_frames(name, data)
            if stamp > clock_ns:
                clock_ns = self._time_ns = stamp
                self._clock.publish(clock)
            self._publishers[name].publish(message)
            self.count += 1

    def _wait_until(self, due: float, timer: Any, can_pause: bool) -> float:
        """Serve the parameters until `due`, or until a time is sought; return for how long it was paused (s)."""
        paused = 0.0
        while self._seek_ns is None:
            now = timer.monotonic()
            is_paused = can_pause and self._settings.paused
            if now - self._served > SERVICE_PERIOD_S:
                self._served = now
                self._executor.spin_once(timeout_sec=0.0)
            if now - self._reported > REPORT_PERIOD_S:
                self._reported = now
                self._report(is_paused)
            wait = SERVICE_PERIOD_S if is_paused else due + paused - now
            if wait <= 0.0:
                break
            timer.sleep(min(wait, SERVICE_PERIOD_S))
            paused += is_paused * SERVICE_PERIOD_S
        return paused

    def _report(self, is_paused: bool) -> None:
        values = {
            "time": max(0, self._time_ns - self._begin_ns) / SECOND_NS,
            "end": (self._end_ns - self._begin_ns) / SECOND_NS,
            "paused": is_paused,
        }
        self._diagnostics.set(OK, "replaying a recording", values, now=True)

    def _with_frames(self, name: str, data: bytes) -> Any:
        """Return the message with the frame ids of this namespace."""
        if name in (topics.ODOM.name, topics.GROUND_TRUTH.name):
            odometry = deserialize_message(data, Odometry)
            odometry.header.frame_id = self._frame(odometry.header.frame_id)
            odometry.child_frame_id = self._frame(odometry.child_frame_id)
            return odometry
        if name in ("tf", "tf_static"):
            message = deserialize_message(data, TFMessage)
            for transform in message.transforms:
                transform.header.frame_id = self._frame(transform.header.frame_id)
                transform.child_frame_id = self._frame(transform.child_frame_id)
            return message
        return data

    def _frame(self, name: str) -> str:
        return f"{self._prefix}{name.removeprefix(self._recorded)}"


def _name(connection: Connection) -> str:
    return stack_topic_name(connection)


def _is_replayed(connection: Connection) -> bool:
    topic = REPLAYED.get(_name(connection))
    return topic is not None and has_message_type(connection, topic.type)
