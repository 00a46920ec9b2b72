"""A whole ring in one process, whose messages go over a wire of our own.

What comes over it besides cannot be told from a genuine message but by what is in it.
"""

from __future__ import annotations

from collections import deque
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
from crawler_testing.fixtures.run_monitor import HeardState, Witness
from crawler_testing.fixtures.topics import TYPES
from crawler_testing.fuzz.ideal_backend import IdealBackend, IdealSettings
from crawler_testing.fuzz.in_process_transport import Wire
from gait_generators.node.gait_node import GaitNode
from hybrid_controller.node.controller_node import ControllerNode

RATE = 200.0  # Hz
SELDOM = 10.0  # Hz, of what nobody listens to here
KEPT = 20  # genuine messages of a topic, to be spoilt
TURNS = 4  # within which a tick passes, unless somebody waits for something


@dataclass(frozen=True)
class Cast:
    """Which ring it is."""

    robot: str = field(default_factory=default_robot)
    law: str = ""
    gait: str = ""
    choices: tuple[tuple[str, str], ...] = ()  # parameters of the law, and what they are


class FuzzedRing:
    """Runs while it is `turn`ed. What a callback raises comes out of `turn` and `hand_over`."""

    def __init__(self, cast: Cast, domain: int) -> None:
        self.spec = load_robot(cast.robot, {})
        self.context = rclpy.Context()
        rclpy.init(context=self.context, args=[], domain_id=domain)
        self.witness = Witness(self.spec, "ideal")
        self.genuine: dict[str, deque[bytes]] = {name: deque(maxlen=KEPT) for name in TYPES}
        self.states = 0
        self._see_motion = {topic.name: callback for topic, callback in self.witness.topics()}["motion_state"]
        shared = {"robot": cast.robot, "rate": RATE}
        law = {"law": cast.law, **dict(cast.choices)}
        own = {"lockstep": True, "real_time_factor": 0.0, "tf_rate": SELDOM, "autostart": False}
        backend = partial(BackendNode, IdealBackend, IdealSettings)
        self.wire = Wire(self._overhear)
        self.nodes: dict[str, Node] = {
            "controller": self._node(ControllerNode, {**shared, **law, "lockstep": True, "state_rate": SELDOM}),
            "gait": self._node(GaitNode, {**shared, "gait": cast.gait, "use_sim_time": True}),
            "backend": self._node(backend, {**shared, **own}),
        }
        self.wire.carry(self.nodes.values())
        autostart(self.backend)

    def close(self) -> None:
        """End everything."""
        try:
            self.backend.leave_safe()
            for node in self.nodes.values():
                node.destroy_node()
            self.context.try_shutdown()
        finally:
            self.wire.close()

    @property
    def backend(self) -> Any:
        """The backend node."""
        return self.nodes["backend"]

    def tick(self) -> None:
        """Until there is a next state, or nobody seems to wait for one."""
        before = self.states
        for _ in range(TURNS):
            self.wire.turn(0.5 / RATE)
            if self.wire.now >= self.backend.due:  # it was given a pace
                self.backend.turn()
            if self.states > before:
                return

    @property
    def motion(self) -> str:
        """Whether the joints may move, as the backend's supervisor has it."""
        return str(self.backend.runner.supervisor.motion.value)

    @property
    def fault(self) -> str:
        """Why it stands, after a comma; empty where there is no fault."""
        fault = self.backend.runner.supervisor.report.fault
        return f", {fault}" if fault else ""

    def latest(self, topic: str) -> Any:
        """A copy of one of the latest genuine messages; an empty one where there were none."""
        kept = self.genuine[topic]
        return deserialize_message(kept[-1], TYPES[topic]) if kept else TYPES[topic]()

    def serve(self, node: str, name: str, request: Any) -> Any:
        """What a service of a node answers, each way over the wire."""
        (service,) = (one for one in self.nodes[node].services if one.srv_name.rpartition("/")[2] == name)
        kind: Any = service.srv_type
        heard = deserialize_message(serialize_message(request), kind.Request)
        return deserialize_message(serialize_message(service.callback(heard, kind.Response())), kind.Response)

    def _node(self, factory: Callable[..., Any], parameters: dict[str, Any]) -> Any:
        node = factory(
            context=self.context,
            namespace="fuzz",
            parameter_overrides=[Parameter(name, value=value) for name, value in parameters.items()],
        )
        node.get_logger().set_level(LoggingSeverity.FATAL)  # they have reason to complain all the time
        return node

    def _overhear(self, topic: str, data: bytes, message: Any) -> None:
        if topic in self.genuine:
            self.genuine[topic].append(data)
        if topic == "joint_states":
            self.states += 1
            angles = tuple(message.position[i] for i in self.spec.actuated_indices)
            self.witness.see(HeardState(self.wire.now, stamp_ns(message.header.stamp) * 1e-9, angles))
        elif topic == "motion_state":
            self._see_motion(data, {})
