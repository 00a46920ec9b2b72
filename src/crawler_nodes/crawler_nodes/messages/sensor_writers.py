"""Readings of sensors as messages of sensor_msgs and geometry_msgs.

A message is serialised once for each sensor; its stamp and its numbers are then written into these bytes.
"""

from __future__ import annotations

import math
from struct import Struct

import numpy as np
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.serialization import serialize_message
from sensor_msgs.msg import BatteryState, Imu

from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import BatteryReading, ImuReading, PoseReading
from crawler_nodes.messages.header import ENCAPSULATION, SECOND_NS, STAMP, set_stamp

STAMP_START = len(ENCAPSULATION)
VECTOR, POSE = Struct("<3d"), Struct("<7d")
COVARIANCE_BYTES = 9 * 8  # of three values
POSE_COVARIANCE_BYTES = 36 * 8


class ImuWriter:
    """Serialises imu/data_raw by REP 145: without an orientation, in the axes of the sensor's frame."""

    def __init__(self, sensor: SensorSpec, frame: str) -> None:
        """`sensor` has the noise of this run; unknown noise gives covariances of 0, as REP 145 has it."""
        message = Imu()
        message.header.frame_id = frame
        message.orientation_covariance[0] = -1.0
        message.angular_velocity_covariance[::4] = sensor.gyro_noise**2
        message.linear_acceleration_covariance[::4] = sensor.accel_noise**2
        self._bytes = bytearray(serialize_message(message))
        self._linear_at = len(self._bytes) - COVARIANCE_BYTES - VECTOR.size
        self._angular_at = self._linear_at - COVARIANCE_BYTES - VECTOR.size

    def fill(self, reading: ImuReading) -> bytes:
        """Return the message of a reading."""
        STAMP.pack_into(self._bytes, STAMP_START, *divmod(reading.time_ns, SECOND_NS))
        VECTOR.pack_into(self._bytes, self._angular_at, *reading.angular)
        VECTOR.pack_into(self._bytes, self._linear_at, *reading.linear)
        return bytes(self._bytes)


class PoseWriter:
    """Serialises external_pose: the pose of the link that the sensor sees, in the frame of the world."""

    def __init__(self, sensor: SensorSpec, frame: str) -> None:
        """`sensor` has the noise of this run."""
        message = PoseWithCovarianceStamped()
        message.header.frame_id = frame
        diagonal = np.repeat([sensor.position_noise**2, sensor.angle_noise**2], 3)
        message.pose.covariance[::7] = diagonal
        self._bytes = bytearray(serialize_message(message))
        self._pose_at = len(self._bytes) - POSE_COVARIANCE_BYTES - POSE.size

    def fill(self, reading: PoseReading) -> bytes:
        """Return the message of a reading."""
        w, x, y, z = reading.quaternion
        STAMP.pack_into(self._bytes, STAMP_START, *divmod(reading.time_ns, SECOND_NS))
        POSE.pack_into(self._bytes, self._pose_at, *reading.position, x, y, z, w)
        return bytes(self._bytes)


class BatteryWriter:
    """Fills battery_state. Unknown quantities are NaN."""

    def __init__(self, sensor: SensorSpec, frame: str) -> None:
        unknown = dict.fromkeys(("temperature", "charge", "capacity", "design_capacity", "percentage"), math.nan)
        self._message = BatteryState(present=True, location=sensor.name, **unknown)
        self._message.power_supply_status = BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
        self._message.header.frame_id = frame

    def fill(self, reading: BatteryReading) -> BatteryState:
        """Return the message of a reading; its current is negative while the battery is discharged."""
        message = self._message
        set_stamp(message.header.stamp, reading.time_ns)
        message.voltage, message.current = reading.voltage, -reading.current
        return message
