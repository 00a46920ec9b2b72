"""The markers: each foot at its place in the colour of its mode, its force, and the path of the base."""

import math

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from crawler_interfaces.msg import ContactState, ContactStateArray
from geometry_msgs.msg import Point
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from visualization_msgs.msg import Marker, MarkerArray

from crawler_core.description.urdf import build_urdf
from crawler_core.robot.robot_file import load_robot
from crawler_view.markers.contact_markers import MAX_ARROW_LENGTH, contact_markers
from crawler_view.markers.markers_node import MarkersNode
from crawler_view.scene.robot_scene import MODE_COLOURS


def at(x, y, z):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def foot(mode="stick", force=(0.0, 3.0, 4.0), name="foot_1"):
    return {"foot": name, "mode": mode, "force": list(force), "slip": 0.0}


def made(*feet, trail=()):
    poses = {"foot_1": at(1.0, 2.0, 0.5), "foot_2": at(-1.0, 0.0, 0.0)}
    made = contact_markers(feet, poses, trail, 10.0, 2.0, "odom", Time(sec=7))
    return {(marker.ns, marker.id): marker for marker in made.markers}


@pytest.mark.parametrize("mode", MODE_COLOURS)
def test_a_foot_has_the_colour_of_its_mode_and_its_place(mode):
    markers = made(foot(mode))
    sphere, arrow = markers["feet", 0], markers["forces", 0]
    assert (sphere.type, sphere.action) == (Marker.SPHERE, Marker.ADD)
    assert (sphere.header.frame_id, sphere.header.stamp.sec) == ("odom", 7)
    place, colour = sphere.pose.position, sphere.color
    assert (place.x, place.y, place.z) == (1.0, 2.0, 0.5)
    assert (colour.r, colour.g, colour.b) == pytest.approx(MODE_COLOURS[mode], abs=1e-6)
    assert colour.a == 1.0
    assert arrow.color == colour


def test_an_arrow_points_along_the_force_and_has_a_length_in_proportion_to_the_largest():
    start, tip = made(foot(force=(0.0, 3.0, 4.0)))["forces", 0].points  # half of the largest
    assert (start.x, start.y, start.z) == (1.0, 2.0, 0.5)
    assert tip.x - start.x == 0.0
    assert (tip.y - start.y) / (tip.z - start.z) == pytest.approx(0.75)
    assert math.hypot(tip.y - start.y, tip.z - start.z) == pytest.approx(0.5 * MAX_ARROW_LENGTH * 2.0)


@pytest.mark.parametrize("force", [(0.0, 0.0, 0.0), (None, None, None)])
def test_without_a_force_the_arrow_is_deleted(force):
    assert made(foot(force=force))["forces", 0].action == Marker.DELETE


def test_feet_without_a_place_are_left_out_and_the_others_keep_their_numbers():
    assert set(made(foot(name="nowhere"), foot(name="foot_2"))) == {("feet", 1), ("forces", 1), ("trail", 0)}


def test_the_path_of_the_base_is_a_line():
    way = [Point(x=0.1 * i) for i in range(4)]
    assert made(trail=way[:1])["trail", 0].action == Marker.DELETE
    line = made(trail=way)["trail", 0]
    assert (line.type, line.action, list(line.points)) == (Marker.LINE_STRIP, Marker.ADD, way)
    assert line.scale.x > 0.0


def test_every_marker_that_is_drawn_has_a_size_a_colour_and_a_frame():
    for marker in made(foot(), foot("slip_pos", name="foot_2"), trail=[Point(), Point(x=1.0)]).values():
        assert marker.scale.x > 0.0
        assert marker.color.a == 1.0  # RViz shows nothing of what is left at 0
        assert marker.header.frame_id == "odom"


class StackStub(Node):
    """Publishes three_link stretched out on the ground, like its backend; `seen` are the received markers."""

    def __init__(self, **options):
        super().__init__("stack_stub", **options)
        self.seen = []
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._description = self.create_publisher(String, "robot_description", latched)
        self._description.publish(String(data=build_urdf(load_robot("three_link"))))
        self._contacts = self.create_publisher(ContactStateArray, "contact_states", 10)
        self._odometry = self.create_publisher(Odometry, "odom", 10)
        self._joints = self.create_publisher(JointState, "joint_states", 10)
        self.create_subscription(MarkerArray, "contact_markers", self.seen.append, 10)
        self._count = 0

    def state(self):
        """Publish the next state: the base moves by a tenth of a metre."""
        self._count += 1
        contacts = ContactStateArray(contacts=[ContactState(foot="foot_1", mode=ContactState.SLIP_POS)])
        odometry = Odometry()
        odometry.pose.pose.position.x = 0.1 * self._count
        joints = JointState(name=["joint_1", "joint_2"], position=[math.pi] * 2, velocity=[0.0] * 2)
        for message in (contacts, odometry, joints):
            message.header.stamp.sec = self._count
        self._contacts.publish(contacts)
        self._odometry.publish(odometry)
        self._joints.publish(joints)


def test_the_node_shows_a_stack_from_its_topics(graph):
    stack = graph.add(StackStub)
    graph.add(MarkersNode, rate=30.0)

    def line():
        stack.state()
        return bool(stack.seen and stack.seen[-1].markers[-1].ns == "trail" and stack.seen[-1].markers[-1].points)

    graph.spin_until(line)
    *_, sphere, arrow, way = stack.seen[-1].markers
    assert (sphere.ns, arrow.action) == ("feet", Marker.DELETE)  # there is no force
    assert sphere.pose.position.x == pytest.approx(way.points[-1].x + 0.0935 + 0.17, abs=1e-5)  # half the body, a leg
    assert (sphere.color.r, sphere.color.g) == pytest.approx(MODE_COLOURS["slip_pos"][:2], abs=1e-6)
    assert sphere.header.frame_id == f"{stack.get_namespace()[1:]}/odom"
