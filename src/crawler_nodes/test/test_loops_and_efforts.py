"""The backend node with a closed chain, a joint driven by effort, and a device that knows nothing but its motors."""

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.parameters import parameter
from crawler_core.types import JointCommand, Observation
from crawler_nodes.backend_node.node import BackendNode, autostart

GYMNAST = Path(__file__).parents[2] / "crawler_core/test/robots/gymnast/robot.yaml"
CRANK, FLYWHEEL = 0, 3  # their places among the joints


@dataclass(frozen=True)
class NoSettings:
    unused: float = parameter(0.0, doc="nothing")


class Motors:
    """A crank that is where it is told, a flywheel that stands, and two joints of which nothing is known."""

    simulated = True
    kind = "motors"

    def __init__(self, spec, settings, dt):
        self.position = np.array([joint.home if joint.actuated else math.nan for joint in spec.joints])
        self.dt_ns, self.ticks = round(dt * 1e9), 0
        self.told = []

    def open(self):
        pass

    def observe(self):
        velocity = np.where(np.isnan(self.position), np.nan, 0.0)
        return Observation(self.ticks * self.dt_ns, self.position.copy(), velocity, np.full(4, np.nan))

    def apply(self, command: JointCommand):
        self.told.append(command)
        self.position[CRANK] = command.position[0]
        return command

    def advance(self, dt):
        self.ticks += 1

    def relax(self):
        pass

    def close(self):
        pass


def test_passive_joints_are_in_states_and_transforms_and_efforts_are_clamped_and_said(graph) -> None:
    client = graph.add(partial(Node, "client"))
    states, transforms, diagnostics = [], [], []
    client.create_subscription(JointState, "joint_states", states.append, 10)
    client.create_subscription(TFMessage, "/tf", transforms.append, 10)
    client.create_subscription(DiagnosticArray, "diagnostics", diagnostics.append, 10)
    commands = client.create_publisher(JointState, "joint_commands", 10)
    node = graph.add(
        partial(BackendNode, Motors, NoSettings),
        robot=str(GYMNAST),
        rate=200.0,
        lockstep=True,
        real_time_factor=0.0,
        lockstep_timeout=60.0,
    )
    autostart(node)
    graph.spin_until(lambda: states and transforms and commands.get_subscription_count())
    closure = make_loop_closure_solver(node.spec)
    assert closure is not None
    np.testing.assert_array_equal(states[0].position, closure.home())
    moved = {one.child_frame_id.split("/")[-1] for message in transforms for one in message.transforms}
    assert {"crank_link", "coupler_link", "rocker_link", "flywheel_link"} <= moved

    message = JointState(name=["crank", "flywheel"], position=[math.pi / 2, math.nan], effort=[math.nan, 0.2])
    message.header = states[-1].header
    before = len(states)
    commands.publish(message)
    graph.spin_until(lambda: len(states) > before)
    assert node.supervised.backend.told[-1].effort[1] == node.spec.joints[FLYWHEEL].effort == 0.05
    assert np.isfinite(states[-1].position).all()

    def said(key):
        return [entry.value for m in diagnostics for entry in m.status[0].values if entry.key == key]

    graph.spin_until(lambda: "1" in said("clamped"))
    assert said("last_clamp")[-1] == "flywheel was commanded 0.2 N m, its limit is 0.05 N m"
