"""A whole stack in one process, on a transport into which messages can be injected.

An injected message differs from one of the stack's own only by its content.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import rclpy
from rclpy.logging import LoggingSeverity
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message, serialize_message

from crawler_core.robot.robot_file import default_robot, load_robot
from crawler_nodes.backend_node.node import BackendNode, autostart
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.topics import TOPICS
from crawler_testing.fixtures.run_monitor import RunMonitor, StateSample
from crawler_testing.fuzz.ideal_backend import IdealBackend, rotor_parameters
from crawler_testing.fuzz.in_process_transport import InProcessTransport
from gait_generators.node.gait_node import GaitNode
from hybrid_controller.node.controller_node import ControllerNode
from sim_bridge.mock.mock_backend import MockSettings

RATE_HZ = 200.0
UNUSED_TOPIC_RATE_HZ = 10.0
MAX_STEPS_PER_TICK = 4  # without a new state after these, a node waits for something
MESSAGE_TYPES = {topic.name: topic.type for topic in TOPICS}


@dataclass(frozen=True)
class FuzzSetup:
    """Robot, law and gait of the stack under test."""

    robot: str = field(default_factory=default_robot)
    law: str = ""
    gait: str = ""
    law_parameters: tuple[tuple[str, Any], ...] = ()


class InProcessStack:
    """Runs during `tick`. Exceptions of callbacks leave `tick`, `call` and the transport's `deliver`."""

    def __init__(self, setup: FuzzSetup, domain: int) -> None:
        self.spec = load_robot(setup.robot, {})
        self.context = rclpy.Context()
        rclpy.init(context=self.context, args=[], domain_id=domain)
        self.monitor = RunMonitor(self.spec, "ideal")
        self.latest: dict[str, bytes] = {}  # last message of each topic
        self.state_count = 0
        self._on_motion = {topic.name: callback for topic, callback in self.monitor.topics()}["motion_state"]
        shared = {"robot": setup.robot, "rate": RATE_HZ}
        controller = {"law": setup.law, **dict(setup.law_parameters), "lockstep": True}
        backend = {
            **rotor_parameters(self.spec),
            "lockstep": True,
            "real_time_factor": 0.0,
            "tf_rate": UNUSED_TOPIC_RATE_HZ,
            "autostart": False,
        }
        make_backend = partial(BackendNode, IdealBackend, MockSettings)
        self.transport = InProcessTransport(self._on_publish)
        self.nodes: dict[str, Node] = {
            "controller": self._node(ControllerNode, {**shared, **controller, "state_rate": UNUSED_TOPIC_RATE_HZ}),
            "gait": self._node(GaitNode, {**shared, "gait": setup.gait, "use_sim_time": True}),
            "backend": self._node(make_backend, {**shared, **backend}),
        }
        self.transport.connect(self.nodes.values())
        autostart(self.backend)

    def close(self) -> None:
        try:
            self.backend.shut_down_safely()
            for node in self.nodes.values():
                node.destroy_node()
            self.context.try_shutdown()
        finally:
            self.transport.close()

    @property
    def backend(self) -> Any:
        return self.nodes["backend"]

    @property
    def motion(self) -> str:
        return str(self.backend.supervised.supervisor.motion.value)

    @property
    def fault(self) -> str:
        """Fault of the backend's supervisor; empty without one."""
        return str(self.backend.supervised.supervisor.report.fault or "")

    def tick(self) -> None:
        """Run until the next state, or for MAX_STEPS_PER_TICK."""
        before = self.state_count
        for _ in range(MAX_STEPS_PER_TICK):
            self.transport.step(0.5 / RATE_HZ)
            if self.transport.now >= self.backend.due:  # a real_time_factor was set
                self.backend.run_due()
            if self.state_count > before:
                return

    def latest_message(self, topic: str) -> Any:
        """Return a copy of a topic's last message; an empty one if there is none."""
        kind = MESSAGE_TYPES[topic]
        return deserialize_message(self.latest[topic], kind) if topic in self.latest else kind()

    def call(self, node: str, name: str, request: Any) -> Any:
        """Call a service of a node; request and response are serialised."""
        (service,) = (one for one in self.nodes[node].services if one.srv_name.rpartition("/")[2] == name)
        kind: Any = service.srv_type
        received = deserialize_message(serialize_message(request), kind.Request)
        return deserialize_message(serialize_message(service.callback(received, kind.Response())), kind.Response)

    def _node(self, factory: Callable[..., Any], parameters: dict[str, Any]) -> Any:
        node = factory(
            context=self.context,
            namespace="fuzz",
            parameter_overrides=[Parameter(name, value=value) for name, value in parameters.items()],
        )
        node.get_logger().set_level(LoggingSeverity.FATAL)  # every invalid message would be logged
        return node

    def _on_publish(self, topic: str, data: bytes) -> None:
        self.latest[topic] = data
        if topic == "joint_states":
            self.state_count += 1
            message = deserialize_message(data, MESSAGE_TYPES[topic])
            angles = tuple(message.position[i] for i in self.spec.actuated_indices)
            stamp = stamp_ns(message.header.stamp) * 1e-9
            self.monitor.add_state(StateSample(self.transport.now, stamp, angles))
        elif topic == "motion_state":
            self._on_motion(data, {})
