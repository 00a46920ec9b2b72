"""The description node: each joint is where its slider is, except the passive joints of closed loops."""

from pathlib import Path

import numpy as np
import pytest
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from crawler_bringup.description_node import DescriptionNode
from crawler_core.description.urdf import build_urdf
from crawler_core.linkages.loop_closure_solver import LoopClosureSolver
from crawler_core.robot.robot_file import load_robot

(GYMNAST,) = Path(__file__).parents[3].glob("src/*/test/robots/gymnast/robot.yaml")


@pytest.fixture
def shown(graph):
    """Return a function that moves sliders and returns the joint states that follow."""
    node = graph.add(DescriptionNode, robot=str(GYMNAST))
    observer = graph.add(lambda **options: Node("listener", **options))
    states = []
    observer.create_subscription(JointState, "joint_states", states.append, 10)
    sliders = observer.create_publisher(JointState, "slider_states", 10)
    graph.spin_until(lambda: sliders.get_subscription_count() and node.count_subscribers("joint_states"))

    def move(**angles):
        states.clear()
        message = JointState(name=list(angles), position=[float(angle) for angle in angles.values()])

        def answered():
            sliders.publish(message)
            return states

        graph.spin_until(answered)
        return dict(zip(states[-1].name, states[-1].position, strict=True))

    return move


def test_the_loops_close_at_any_position_of_the_sliders(shown):
    spec = load_robot(str(GYMNAST))
    closure = LoopClosureSolver(spec, build_urdf(spec))
    free = [joint.name for joint in spec.joints if joint.name not in closure.joints]
    angles = {name: spec.joints[spec.joint_names.index(name)].home + 0.1 for name in free}
    seen = shown(**angles, **dict.fromkeys(closure.joints, 0.7))  # the sliders of passive joints have no effect
    assert {name: seen[name] for name in free} == pytest.approx(angles)
    assert closure.residual(np.array([seen[name] for name in spec.joint_names])) < 1e-12


def test_late_subscribers_get_the_description(graph):
    graph.add(DescriptionNode, robot=str(GYMNAST))
    observer = graph.add(lambda **options: Node("listener", **options))
    received = []
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    observer.create_subscription(String, "robot_description", received.append, latched)
    graph.spin_until(lambda: received)
    assert "<robot" in received[0].data
