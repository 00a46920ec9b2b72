"""Readings of sensors as messages, and back."""

import math
from array import array
from dataclasses import replace

import pytest
from crawler_interfaces.msg import SensorReadings
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import Imu

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import BatteryReading, ForceReading, ImuReading, PoseReading, SwitchReading
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.messages.sensor_readings import SensorReadingsReader, SensorReadingsWriter
from crawler_nodes.messages.sensor_writers import BatteryWriter, ImuWriter, PoseWriter

SENSORS = (
    SensorSpec("imu", "imu", "body", gyro_noise=0.1, accel_noise=0.2),
    SensorSpec("toe", "contact_switch", foot="foot_1"),
    SensorSpec("gauge", "foot_force", foot="foot_2"),
    SensorSpec("battery", "battery"),
    SensorSpec("camera", "external_pose", position_noise=0.01, angle_noise=0.02),
)
SPEC = replace(load_robot("three_link"), sensors=SENSORS)
NOW_NS = 1_700_000_000_123_456_789
READINGS = (
    ImuReading("imu", NOW_NS - 5, (0.1, -0.2, 1e-300), (9.81, math.pi, -0.0)),
    SwitchReading("toe", NOW_NS, True),
    ForceReading("gauge", NOW_NS - 1, 1.5),
    BatteryReading("battery", 7, 11.9, 0.25),
    PoseReading("camera", NOW_NS - 40_000_000, (1.0, 2.0, 3.0), (0.6, 0.0, 0.8, 0.0)),
)


@pytest.mark.parametrize("readings", [(), READINGS[:1], READINGS[1:3], READINGS, READINGS[::-1], READINGS[:2] * 2])
@pytest.mark.parametrize("sender", ["backend#01234567", "b"])
def test_readings_survive_to_the_bit(readings, sender):
    writer, reader = SensorReadingsWriter(SPEC, sender), SensorReadingsReader(SPEC)
    data = writer.fill(NOW_NS, readings)
    of_middleware = serialize_message(deserialize_message(data, SensorReadings))
    for sent in (data, data, of_middleware):  # read by the middleware first, and then by its layout
        message = reader(sent)
        assert (message.sender, message.stamp) == (sender, NOW_NS)
        assert repr(message.readings) == repr(tuple(readings))


def test_the_fast_way_is_not_taken_for_another_sender_or_other_sensors():
    reader = SensorReadingsReader(SPEC)
    for sender in ("one", "two", "one", "two"):
        for readings in (READINGS[:1], READINGS[1:3], ()):
            message = reader(SensorReadingsWriter(SPEC, sender).fill(5, readings))
            assert (message.sender, repr(message.readings)) == (sender, repr(tuple(readings)))


def test_content_that_does_not_fit_is_rejected():
    reader = SensorReadingsReader(SPEC)
    good = SensorReadings(sensors=["toe"], times=array("q", [1]), values=array("d", [1.0]))
    assert reader(serialize_message(good)).readings == (SwitchReading("toe", 1, True),)
    with pytest.raises(UserError, match="'nose', which is no sensor"):
        reader(serialize_message(SensorReadings(sensors=["nose"], times=array("q", [1]))))
    with pytest.raises(UserError, match="0 times and 1 values for 1 readings: it must have 1 and 1"):
        reader(serialize_message(SensorReadings(sensors=["toe"], values=array("d", [1.0]))))
    for bad in (math.nan, math.inf):
        with pytest.raises(UserError, match="'toe' that are not finite"):
            reader(serialize_message(SensorReadings(sensors=["toe"], times=array("q", [1]), values=array("d", [bad]))))
    # as long as the good one, with the counts the other way
    other = SensorReadings(sensors=["toe"], times=array("q", [1, 2]))
    with pytest.raises(UserError, match="2 times and 0 values"):
        reader(serialize_message(other))


def test_imu_follows_rep_145():
    message = deserialize_message(ImuWriter(SENSORS[0], "robot/imu").fill(READINGS[0]), Imu)
    assert (message.header.frame_id, stamp_ns(message.header.stamp)) == ("robot/imu", NOW_NS - 5)
    assert message.orientation_covariance[0] == -1.0
    rate, force = message.angular_velocity, message.linear_acceleration
    assert ((rate.x, rate.y, rate.z), (force.x, force.y, force.z)) == (READINGS[0].angular, READINGS[0].linear)
    assert message.angular_velocity_covariance[::4] == pytest.approx([0.01] * 3)
    assert message.linear_acceleration_covariance[::4] == pytest.approx([0.04] * 3)
    assert message.linear_acceleration_covariance[1] == 0.0


def test_pose_has_its_noise_as_covariance():
    message = deserialize_message(PoseWriter(SENSORS[4], "odom").fill(READINGS[4]), PoseWithCovarianceStamped)
    assert (message.header.frame_id, stamp_ns(message.header.stamp)) == ("odom", NOW_NS - 40_000_000)
    p, q = message.pose.pose.position, message.pose.pose.orientation
    assert ((p.x, p.y, p.z), (q.w, q.x, q.y, q.z)) == (READINGS[4].position, READINGS[4].quaternion)
    assert message.pose.covariance[::7] == pytest.approx([1e-4] * 3 + [4e-4] * 3)


def test_battery_says_what_is_known():
    message = BatteryWriter(SENSORS[3], "base_link").fill(READINGS[3])
    assert (message.voltage, message.current, message.location) == (pytest.approx(11.9), -0.25, "battery")
    assert message.present
    assert math.isnan(message.percentage)
