"""A controller of your own: it makes three_link crawl. docs/your_own_controller.md has the commands."""

import math

import rclpy
from sensor_msgs.msg import JointState

OMEGA, AMPLITUDE, PHI0, PSI = 1.3, math.radians(18), math.radians(110), math.radians(20)


def command(state: JointState) -> None:
    phase = OMEGA * (state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec)
    angles = [PHI0 + AMPLITUDE * math.sin(phase + lead) for lead in (PSI / 2, -PSI / 2)]
    publisher.publish(JointState(header=state.header, name=["joint_1", "joint_2"], position=angles))


rclpy.init()
node = rclpy.create_node("my_controller")
publisher = node.create_publisher(JointState, "joint_commands", 10)
node.create_subscription(JointState, "joint_states", command, 10)
rclpy.spin(node)
