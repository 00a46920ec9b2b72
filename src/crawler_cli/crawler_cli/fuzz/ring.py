"""A whole ring in one process, with somebody in the middle of every topic through whom all messages go.

Whoever is in the middle is the only one that each node hears, so that nothing can be told from a genuine message but by
what is in it.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.logging import LoggingSeverity
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message

from crawler_cli.fuzz.ideal import IdealBackend, IdealSettings
from crawler_cli.storm.topics import LATCHED, TYPES
from crawler_cli.storm.witness import Witness
from crawler_core.robot import default_robot, load_robot
from crawler_nodes.backend_node import BackendNode, autostart
from gait_generators.gait_node import GaitNode
from hybrid_controller.controller_node import ControllerNode

RATE = 200.0  # Hz
TRUE = "true"  # what the nodes themselves say goes there first
SENDS = {
    "backend": ("joint_states", "contact_states", "odom", "motion_state", "/clock"),
    "gait": ("gait_reference",),
    "controller": ("joint_commands",),
}
KEPT = 20  # genuine messages of a topic, to be spoilt
OTHERS = 10  # turns between two of the executor, while messages flow: it is slow
QUIET = 0.01  # s that it waits where none do
PATIENCE = 60.0  # s of wall time that lockstep waits


@dataclass(frozen=True)
class Cast:
    """Which ring it is."""

    robot: str = field(default_factory=default_robot)
    law: str = ""
    gait: str = ""
    choices: tuple[tuple[str, str], ...] = ()  # parameters of the law, and what they are


class FuzzedRing:
    """Runs while it is `turn`ed. What a callback raises comes out of `turn`."""

    def __init__(self, cast: Cast, domain: int) -> None:
        self.spec = load_robot(cast.robot, {})
        self.context = rclpy.Context()
        rclpy.init(context=self.context, args=[], domain_id=domain)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.witness = Witness(self.spec, "ideal")
        self.genuine: dict[str, deque[bytes]] = {name: deque(maxlen=KEPT) for name in TYPES}
        self.waylaid: dict[str, Callable[[Any], Any]] = {}  # by topic: what goes before the next genuine message
        self.states = 0
        self._turns = 0
        self._namespace = f"fuzz_{os.getpid()}"
        self.middle = self._node(partial(Node, "middle"), {}, ())
        self.send = {name: self._sender(name) for name in TYPES}
        for names in SENDS.values():
            for name in names:
                self._relay(name)
        shared = {"robot": cast.robot, "rate": RATE}
        law = {"law": cast.law, **dict(cast.choices)}
        waits = {"lockstep": True, "lockstep_timeout": PATIENCE, "real_time_factor": 0.0, "autostart": False}
        self.nodes: dict[str, Node] = {
            "controller": self._ours(ControllerNode, "controller", {**shared, **law, "lockstep": True}),
            "gait": self._ours(GaitNode, "gait", {**shared, "gait": cast.gait, "use_sim_time": True}),
        }
        backend: Any = self._ours(partial(BackendNode, IdealBackend, IdealSettings), "backend", {**shared, **waits})
        self.nodes["backend"] = backend
        autostart(backend)

    def close(self) -> None:
        """End everything."""
        self.executor.shutdown()
        backend: Any = self.nodes["backend"]
        backend.leave_safe()
        for node in (*self.nodes.values(), self.middle):
            node.destroy_node()
        self.context.try_shutdown()

    def turn(self) -> int:
        """Hand every node what waits for it; returns how much that was. Services and timers have their turn too."""
        taken = 0
        for node in (self.middle, *self.nodes.values()):
            for subscription in list(node.subscriptions):
                with subscription.handle:
                    while (
                        found := subscription.handle.take_message(subscription.msg_type, subscription.raw)
                    ) is not None:
                        taken += 1
                        subscription.callback(found[0])
        backend: Any = self.nodes["backend"]
        if time.monotonic() >= backend.due:  # it was given a pace
            backend.turn()
            taken += 1
        self._turns += 1
        if not taken or self._turns % OTHERS == 0:
            self.executor.spin_once(timeout_sec=0.0 if taken else QUIET)
        return taken

    @property
    def motion(self) -> str:
        """Whether the joints may move, as the backend's supervisor has it."""
        backend: Any = self.nodes["backend"]
        return str(backend.runner.supervisor.motion.value)

    def latest(self, topic: str) -> Any:
        """A copy of one of the latest genuine messages; an empty one where there were none."""
        kept = self.genuine[topic]
        return deserialize_message(kept[-1], TYPES[topic]) if kept else TYPES[topic]()

    def _ours(self, factory: Callable[..., Any], name: str, parameters: dict[str, Any]) -> Any:
        return self._node(factory, parameters, tuple(f"{topic}:={_true(topic)}" for topic in SENDS[name]))

    def _node(self, factory: Callable[..., Any], parameters: dict[str, Any], remaps: tuple[str, ...]) -> Any:
        words = [word for remap in (*remaps, "/clock:=clock") for word in ("-r", remap)]
        node = factory(
            context=self.context,
            namespace=self._namespace,
            cli_args=["--ros-args", *words],
            parameter_overrides=[Parameter(name, value=value) for name, value in parameters.items()],
        )
        node.get_logger().set_level(LoggingSeverity.FATAL)  # they have reason to complain all the time
        self.executor.add_node(node)
        return node

    def _sender(self, name: str) -> Callable[[Any], None]:
        return self.middle.create_publisher(TYPES[name], name.strip("/"), _qos(name)).publish

    def _relay(self, name: str) -> None:
        hear: dict[str, Callable[[bytes, dict[str, Any]], None]] = {
            topic.name: callback for topic, callback in self.witness.topics()
        }

        def pass_on(data: bytes) -> None:
            self.genuine[name].append(data)
            if name in self.waylaid:
                self.send[name](self.waylaid.pop(name)(deserialize_message(data, TYPES[name])))
            self.states += name == "joint_states"
            if name in ("joint_states", "motion_state"):
                hear[name](data, {})
            self.send[name](data)

        self.middle.create_subscription(TYPES[name], _true(name), pass_on, _qos(name), raw=True)


def _true(topic: str) -> str:
    return f"{TRUE}/{topic.strip('/')}"


def _qos(topic: str) -> QoSProfile:
    qos = QoSProfile(depth=1000)
    if topic in LATCHED:
        qos.durability = DurabilityPolicy.TRANSIENT_LOCAL
    return qos
