"""What the controller takes of its topics, and what it refuses."""

import math

import pytest
from nav_msgs.msg import Odometry

from crawler_core.errors import UserError
from hybrid_controller.node.message_parsing import read_odometry

HALF = math.sqrt(0.5)


def odom(quaternion=(1.0, 0.0, 0.0, 0.0), velocity=(0.2, 0.0, 0.1)):
    message = Odometry()
    message.header.stamp.nanosec = 7
    attitude, speed = message.pose.pose.orientation, message.twist.twist.linear
    attitude.w, attitude.x, attitude.y, attitude.z = quaternion
    speed.x, speed.y, speed.z = velocity
    return message


def test_odometry_tells_the_speed_along_the_world_from_one_in_the_frame_of_the_base():
    level = read_odometry(odom(), can_yaw=False)
    assert (level.time_ns, level.forward) == (7, pytest.approx(0.2))
    nose_down = (HALF, 0.0, HALF, 0.0)  # the base's z is the world's x
    assert read_odometry(odom(nose_down), can_yaw=False).forward == pytest.approx(0.1)


def test_the_speed_of_a_base_that_turns_is_the_one_along_its_heading():
    to_the_left = (HALF, 0.0, 0.0, HALF)
    assert read_odometry(odom(to_the_left), can_yaw=True).forward == pytest.approx(0.2)
    assert read_odometry(odom(to_the_left), can_yaw=False).forward == pytest.approx(0.0, abs=1e-12)


def test_a_quaternion_that_was_rounded_is_an_attitude():
    assert read_odometry(odom((0.7071, 0.0, 0.7071, 0.0)), can_yaw=False).forward == pytest.approx(0.1, rel=1e-3)


@pytest.mark.parametrize(
    "quaternion", [(0.0,) * 4, (2.0, 0.0, 0.0, 0.0), (math.nan, 0.0, 0.0, 0.0), (math.inf, 0.0, 0.0, 0.0)], ids=str
)
def test_an_attitude_that_is_none_is_refused_since_it_would_stretch_the_speed(quaternion):
    with pytest.raises(UserError, match="it must be 1"):
        read_odometry(odom(quaternion), can_yaw=False)


@pytest.mark.parametrize("speed", [math.nan, -math.inf])
def test_a_speed_that_is_not_finite_is_refused(speed):
    with pytest.raises(UserError, match="not finite"):
        read_odometry(odom(velocity=(0.0, speed, 0.0)), can_yaw=False)
