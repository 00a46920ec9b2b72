"""The gait node reads cmd_vel as Twist or as TwistStamped, whichever is published by another process."""

from pathlib import Path

import pytest
import rclpy
from geometry_msgs.msg import Twist, TwistStamped

from gait_generators.node.gait_node import GaitNode

ROBOT = Path(__file__).parents[2] / "crawler_description/robots/miniaq/robot.yaml"


@pytest.fixture
def publisher_of(graph):
    """Make a publisher of cmd_vel in a participant of its own, since one has one type for a topic."""
    contexts = []

    def make(message_type):
        context = rclpy.Context()
        rclpy.init(context=context, args=[], domain_id=graph.context.get_domain_id())
        contexts.append(context)
        node = rclpy.create_node(f"pad_{len(contexts)}", context=context, namespace=graph.namespace)
        return node, node.create_publisher(message_type, "cmd_vel", 10)

    yield make
    for context in contexts:
        context.try_shutdown()


def test_the_type_of_the_publisher_is_read_and_changes_with_it(graph, publisher_of):
    gait = graph.add(GaitNode, robot=str(ROBOT), gait="walk")

    def is_obeyed(publisher, message, speed):
        publisher.publish(message)
        return gait.velocity.command is not None and gait.velocity.command.forward == speed

    stamped = TwistStamped()
    stamped.twist.linear.x = 0.01
    node, publisher = publisher_of(TwistStamped)
    graph.spin_until(lambda: is_obeyed(publisher, stamped, 0.01))
    assert gait.cmd_vel.type_name == "TwistStamped"

    plain = Twist()
    plain.linear.x = 0.02
    _, other = publisher_of(Twist)
    graph.spin_until(lambda: gait.cmd_vel.warning)
    assert "also published as geometry_msgs/msg/Twist, which is not read beside TwistStamped" in gait.cmd_vel.warning
    node.destroy_node()
    graph.spin_until(lambda: is_obeyed(other, plain, 0.02))
    assert gait.cmd_vel.type_name == "Twist"
    assert not gait.cmd_vel.warning
