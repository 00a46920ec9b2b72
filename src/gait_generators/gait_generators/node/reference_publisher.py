"""Publisher of gait_reference."""

from __future__ import annotations

from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from crawler_core.robot.robot_spec import RobotSpec
from crawler_nodes.messages.header import set_stamp, to_double_array
from crawler_nodes.topics import GAIT_REFERENCE, create_publisher
from crawler_nodes.transport.message_source import instance_name
from gait_generators.transitions.gait_stream import GridPoints


class ReferencePublisher:
    """Publishes horizons of grid points. The message object is made once."""

    def __init__(self, node: Node, spec: RobotSpec) -> None:
        self.count = 0
        self._publisher = create_publisher(node, GAIT_REFERENCE)
        self._message = JointTrajectory(joint_names=list(spec.actuated_names))
        self._message.header.frame_id = instance_name(node)

    def publish(self, points: GridPoints) -> None:
        message, start_ns = self._message, points.time_ns[0]
        set_stamp(message.header.stamp, start_ns)
        if len(message.points) != len(points.time_ns):
            message.points = [JointTrajectoryPoint() for _ in points.time_ns]
        rows = zip(message.points, points.time_ns, points.position, points.velocity, points.acceleration, strict=True)
        for point, time_ns, position, velocity, acceleration in rows:
            point.time_from_start.sec, point.time_from_start.nanosec = divmod(time_ns - start_ns, 1_000_000_000)
            point.positions = to_double_array(position)
            point.velocities = to_double_array(velocity)
            point.accelerations = to_double_array(acceleration)
        self._publisher.publish(message)
        self.count += 1
