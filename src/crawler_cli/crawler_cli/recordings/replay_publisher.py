"""Publish a recording again: what a stack reports, and nothing that drives a robot."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import rclpy
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from rclpy.signals import SignalHandlerOptions
from rosbags.interfaces import Connection
from rosgraph_msgs.msg import Clock
from tf2_msgs.msg import TFMessage

from crawler_nodes import topics
from crawler_nodes.messages.header import set_stamp
from crawler_studies.recordings.recording_reader import RecordingReader, has_message_type, stack_topic_name

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


class ReplayPublisher:
    """Publishes in a namespace. Frame ids get it as prefix, in place of `recorded`, the recording's namespace."""

    def __init__(self, namespace: str, recorded: str) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[], signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("replay", context=self._context, namespace=namespace)
        self._prefix, self._recorded = f"{namespace.strip('/')}/", f"{recorded.strip('/')}/" if recorded else ""
        self._clock = self._node.create_publisher(Clock, "clock", 10)
        self._publishers = {
            name: self._node.create_publisher(
                topic.type, topic.name, topic.qos_with_depth(1 if topic.latched else topics.PER_TICK)
            )
            for name, topic in REPLAYED.items()
        }
        self.count = 0  # messages published

    def __enter__(self) -> ReplayPublisher:
        return self

    def __exit__(self, *_: object) -> None:
        self._node.destroy_node()
        self._context.try_shutdown()

    def has_subscriber(self, name: str) -> bool:
        """Return whether a topic has a subscriber."""
        return bool(self._publishers[name].get_subscription_count())

    def play(self, reader: RecordingReader, factor: float, sleep: Callable[[float], object] = time.sleep) -> None:
        """Publish every message in the recorded order, `factor` times as fast as it was recorded.

        A gap of more than MAX_GAP_S is shortened to that.
        """
        replayed = [connection for connection in reader.connections if _is_replayed(connection)]
        began, clock_ns = time.monotonic(), -1
        latest, passed = reader.start_time, 0.0  # ns, s
        for connection, stamp, data in reader.messages(replayed) if replayed else ():
            passed += min(max(stamp - latest, 0) * 1e-9, MAX_GAP_S)
            latest = stamp
            wait = passed / factor - (time.monotonic() - began)
            if wait > 0.0:
                sleep(wait)
            clock, name = Clock(), _name(connection)
            with reader.content_errors():
                set_stamp(clock.clock, stamp)
                message = self._with_frames(name, data)
            if stamp > clock_ns:
                clock_ns = stamp
                self._clock.publish(clock)
            self._publishers[name].publish(message)
            self.count += 1

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
