"""Between our types and ROS messages, and back."""

import math

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message, serialize_message
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from crawler_core.errors import UserError
from crawler_core.types import BaseState, Contact, ContactMode, ContactSource
from crawler_nodes.messages.base_writer import BaseWriter
from crawler_nodes.messages.command_reader import CommandReader
from crawler_nodes.messages.contact_writer import ContactWriter
from crawler_nodes.messages.header import serialize_clock, set_stamp, stamp_ns, to_double_array
from crawler_nodes.messages.joint_message import JointMessage, JointMessageWriter


@pytest.mark.parametrize("time_ns", [0, 1, 999_999_999, 1_000_000_000, 1_700_000_000_123_456_789])
def test_a_stamp_keeps_every_nanosecond(time_ns):
    stamp = Time()
    set_stamp(stamp, time_ns)
    assert 0 <= stamp.nanosec < 10**9
    assert stamp_ns(stamp) == time_ns


def test_doubles_are_the_same_bits():
    values = np.array([0.1, -0.0, math.inf, 1e-310])
    assert np.array(to_double_array(values)).tobytes() == values.tobytes()


@pytest.mark.parametrize("names", [["hip", "knee"], ["a"], ["a_name_of_19_letters", "b", "cd"]])
def test_joint_messages_are_those_of_the_middleware(names):
    writer = JointMessageWriter(names, "/backend#1f2e3d4c")
    for sender, rows in (("/backend#1f2e3d4c", 3), ("/left/backend#00000000", 3), ("x", 2), ("", 1)):
        writer.set_sender(sender)
        for time_ns in (0, 1_500_000_000, 1_700_000_000_123_456_789):
            values = [[math.nan, -0.0, 1e-310 + k][: len(names)] for k in range(rows)] + [[]] * (3 - rows)
            message = JointState(name=names, position=values[0], velocity=values[1], effort=values[2])
            message.header.frame_id = sender
            set_stamp(message.header.stamp, time_ns)
            data, expected = writer.fill(time_ns, *values), serialize_message(message)
            assert len(data) <= len(expected)  # which ends with unused bytes after empty rows
            assert repr(deserialize_message(data, JointState)) == repr(deserialize_message(expected, JointState))


def test_a_clock_message_is_the_bytes_of_the_middleware():
    message = Clock()
    set_stamp(message.clock, 1_700_000_000_123_456_789)
    assert serialize_clock(1_700_000_000_123_456_789) == serialize_message(message)


# commands, of a robot whose actuated joints are joint_1 and joint_2


@pytest.fixture
def reader(crawler):
    return CommandReader(crawler)


def test_a_command_comes_in_the_robots_order_however_it_is_named(reader):
    straight = JointState(name=["joint_1", "joint_2"], position=[1.0, 2.0], velocity=[3.0, 4.0])
    turned = JointState(name=["joint_2", "joint_1"], position=[2.0, 1.0], velocity=[4.0, 3.0])
    for message in (straight, turned):
        command = reader.read(JointMessage.of(message)).setpoints
        assert command.position.tolist() == [1.0, 2.0]
        assert command.velocity.tolist() == [3.0, 4.0]
        assert np.isnan(command.effort).all()  # what is not said is not known


def test_a_command_says_whose_state_it_answers_and_who_answers(reader):
    message = JointState(name=["joint_1", "joint_2"], position=[1.0, 2.0])
    message.header.stamp = Time(sec=3, nanosec=5)
    told = [("", ("", "")), ("/backend#1", ("/backend#1", "")), ("/backend#1 /left/me#2", ("/backend#1", "/left/me#2"))]
    for frame, who in told:
        message.header.frame_id = frame
        command = reader.read(JointMessage.of(message))
        assert (command.backend, command.sender) == who
        assert command.stamp == 3_000_000_005


@pytest.mark.parametrize(
    ("names", "position", "more", "words"),
    [
        (["joint_1", "elbow"], [1.0, 2.0], {}, "'elbow', which is no actuated joint: use joint_1, joint_2"),
        (["joint_1"], [1.0], {}, "names joint_1: it must name each actuated joint once"),
        ([], [], {}, "names no joint"),
        (["joint_1", "joint_1", "joint_2"], [1.0, 1.0, 2.0], {}, "each actuated joint once"),
        (["joint_1", "joint_2"], [], {}, "0 values of position for 2 joints"),
        (["joint_2", "joint_1"], [1.0], {}, "1 values of position for 2 joints"),
        (["joint_1", "joint_2"], [1.0, 2.0], {"velocity": [1.0]}, "1 values of velocity for 2 joints"),
        (["joint_1", "joint_2"], [1.0, 2.0], {"effort": [1.0] * 3}, "3 values of effort for 2 joints"),
    ],
)
def test_a_command_that_does_not_fit_is_refused_with_what_is_wrong(reader, names, position, more, words):
    with pytest.raises(UserError, match=words):
        reader.read(JointMessage.of(JointState(name=names, position=position, **more)))


# contacts and the base


def test_contacts_are_filled_in_the_feets_order():
    writer = ContactWriter("odom", ["front", "back"])
    slipping = Contact("front", ContactMode.SLIP_POS, ContactSource.SIMULATED, (1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
    unknown = Contact("back", ContactMode.UNKNOWN, ContactSource.PLANNED, (math.nan,) * 3, (math.nan,) * 3)
    message = writer.fill(2_000_000_001, (slipping, unknown))
    assert message.header.frame_id == "odom"
    assert stamp_ns(message.header.stamp) == 2_000_000_001
    front, back = message.contacts
    assert (front.foot, back.foot) == ("front", "back")
    assert (front.mode, front.source) == (int(ContactMode.SLIP_POS), int(ContactSource.SIMULATED))
    assert (front.force.x, front.force.y, front.force.z) == (1.0, 2.0, 3.0)
    assert (front.slip_velocity.x, front.slip_velocity.y, front.slip_velocity.z) == (0.1, 0.2, 0.3)
    assert math.isnan(back.force.z)
    with pytest.raises(ValueError, match="shorter"):
        writer.fill(0, (slipping,))


QUARTER = (math.cos(math.pi / 4), 0.0, 0.0, math.sin(math.pi / 4))  # a quarter turn to the left, about z


def test_odometry_has_its_twist_in_the_frame_of_the_base():
    writer = BaseWriter("odom", "body")
    base = BaseState((1.0, 2.0, 3.0), QUARTER, (0.5, 0.0, 0.1), (0.0, 0.7, 0.2))
    message = writer.fill_odometry(7, base)
    assert (message.header.frame_id, message.child_frame_id) == ("odom", "body")
    assert stamp_ns(message.header.stamp) == 7
    place, turn = message.pose.pose.position, message.pose.pose.orientation
    assert (place.x, place.y, place.z) == (1.0, 2.0, 3.0)
    assert (turn.w, turn.x, turn.y, turn.z) == QUARTER
    # who looks along the world's y moves along the world's x to the right: along minus its own y
    linear, angular = message.twist.twist.linear, message.twist.twist.angular
    assert (linear.x, linear.y, linear.z) == pytest.approx((0.0, -0.5, 0.1))
    assert (angular.x, angular.y, angular.z) == pytest.approx((0.7, 0.0, 0.2))


def test_the_bases_transform_is_its_pose():
    entry = BaseWriter("odom", "body").fill_transform(9, BaseState((1.0, 2.0, 3.0), QUARTER, (0.0,) * 3, (0.0,) * 3))
    assert (entry.header.frame_id, entry.child_frame_id) == ("odom", "body")
    assert stamp_ns(entry.header.stamp) == 9
    move, turn = entry.transform.translation, entry.transform.rotation
    assert (move.x, move.y, move.z) == (1.0, 2.0, 3.0)
    assert (turn.w, turn.x, turn.y, turn.z) == QUARTER
