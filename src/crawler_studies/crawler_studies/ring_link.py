"""A connection to a ring that runs elsewhere: its topics are read, the gait's parameters asked for and set.

The ring may be a simulation at any speed or a robot on the table. Nothing here is spun by anybody else: the link has a
context and an executor of its own, so that it works in a thread of a node as well as in a command.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import rclpy
from crawler_interfaces.msg import ContactStateArray
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import GetParameters, ListParameters, SetParametersAtomically
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.parameter import parameter_value_to_python as to_python
from rclpy.serialization import deserialize_message
from rclpy.signals import SignalHandlerOptions
from transforms3d.quaternions import rotate_vector

from crawler_nodes.tap import Tap, Topic, stamp_of
from crawler_studies.ring_log import RingLog

TURN = 0.005  # s between two looks into the queues
ANSWER = 3.0  # s of wall time that a service may take
APPEARS = 10.0  # s until it is seen: a missed announcement is repeated after three


class NoAnswerError(Exception):
    """A node of the ring did not answer."""


class RingLink:
    """Reads a ring and sets its gait; `log` fills while `turn` is called."""

    def __init__(self, namespace: str = "") -> None:
        self.log = RingLog()
        self.motion = ""  # what the backend says of it, such as active; empty before it said anything
        self.trouble = ""  # what it says of a fault
        self.heard = time.monotonic()  # when the latest odometry came, on the wall clock
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[], signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("tuning", context=self._context, namespace=namespace)
        self._executor = SingleThreadedExecutor(context=self._context)
        # clients live on a node of their own: the tapped one must not be spun
        self._asker = rclpy.create_node("tuning_asker", context=self._context, namespace=namespace)
        self._executor.add_node(self._asker)
        topics = (
            (Topic("contact_states", ContactStateArray, depth=5000), self._on_contacts),
            (Topic("odom", Odometry, depth=5000), self._on_odometry),
            (Topic("diagnostics", DiagnosticArray), self._on_diagnostics),
        )
        self._tap = Tap(self._node, topics)
        self._clients = {
            kind: self._asker.create_client(kind, f"gait/{name}")
            for kind, name in (
                (ListParameters, "list_parameters"),
                (GetParameters, "get_parameters"),
                (SetParametersAtomically, "set_parameters_atomically"),
            )
        }

    def turn(self) -> None:
        """Take what has come, and wait a little."""
        self._tap.drain()
        time.sleep(TURN)

    def wait(self, until: Callable[[], bool], seconds: float) -> bool:
        """Listen until `until` holds; False where it does not within `seconds` of wall time."""
        end = time.monotonic() + seconds
        while not until():
            if time.monotonic() > end:
                return False
            self.turn()
        return True

    def parameters(self) -> dict[str, Any]:
        """The gait node's parameters. Raises NoAnswerError."""
        listed = [name for name in self._call(ListParameters, ListParameters.Request()).result.names if "." not in name]
        values = self._call(GetParameters, GetParameters.Request(names=listed)).values
        return {name: to_python(value) for name, value in zip(listed, values, strict=True)}

    def set(self, values: Mapping[str, Any]) -> str:
        """Set the gait node's parameters, all or none; returns why not, or ''. Raises NoAnswerError."""
        request = SetParametersAtomically.Request(
            parameters=[Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
        )
        result = self._call(SetParametersAtomically, request).result
        return "" if result.successful else result.reason

    def close(self) -> None:
        """Let go of the ring."""
        self._executor.shutdown()
        self._asker.destroy_node()
        self._node.destroy_node()
        self._context.try_shutdown()

    def _call(self, kind: Any, request: Any) -> Any:
        client = self._clients[kind]
        if not self.wait(client.service_is_ready, APPEARS):
            raise NoAnswerError(f"{client.srv_name} is not there")
        future = client.call_async(request)

        def answered() -> bool:
            self._executor.spin_once(timeout_sec=0.0)
            return future.done()

        if not self.wait(answered, ANSWER):
            client.remove_pending_request(future)
            raise NoAnswerError(f"{client.srv_name} did not answer within {ANSWER:g} s")
        return future.result()

    def _on_contacts(self, data: bytes, _info: dict[str, Any]) -> None:
        self.log.on_contacts(
            {entry.foot: entry.mode for entry in deserialize_message(data, ContactStateArray).contacts}
        )

    def _on_odometry(self, data: bytes, _info: dict[str, Any]) -> None:
        message = deserialize_message(data, Odometry)
        q, v = message.pose.pose.orientation, message.twist.twist.linear
        speed = float(rotate_vector((v.x, v.y, v.z), (q.w, q.x, q.y, q.z))[0])
        self.heard = time.monotonic()
        self.log.on_odometry(stamp_of(data), message.pose.pose.position.x, speed)

    def _on_diagnostics(self, data: bytes, _info: dict[str, Any]) -> None:
        for status in deserialize_message(data, DiagnosticArray).status:
            if status.name.rsplit("/", 1)[-1] == "backend":
                values = {entry.key: entry.value for entry in status.values}
                self.motion = values.get("motion", self.motion)
                self.trouble = status.message
