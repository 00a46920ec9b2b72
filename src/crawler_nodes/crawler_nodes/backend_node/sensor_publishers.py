"""The messages that a backend node publishes of its robot's sensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.publisher import Publisher
from transforms3d.euler import euler2quat

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.robot_sensors import RobotSensors
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import Observation
from crawler_nodes.messages.sensor_readings import SensorReadingsWriter
from crawler_nodes.messages.sensor_writers import BatteryWriter, ImuWriter, PoseWriter
from crawler_nodes.topics import (
    BASE_FRAME,
    BATTERY_STATE,
    EXTERNAL_POSE,
    IMU,
    ODOM_FRAME,
    SENSOR_READINGS,
    Topic,
    create_publisher,
    frame_name,
)

SENSOR_TOPICS = {"imu": IMU, "battery": BATTERY_STATE, "external_pose": EXTERNAL_POSE}  # by kind


class SensorPublishers:
    """The publishers of the sensors that a backend reads or simulates: one topic for each kind of sensor.

    Sensors of one kind share its topic; the frame of a message names its sensor.
    """

    def __init__(self, node: Node, spec: RobotSpec, sensors: RobotSensors, name: str) -> None:
        """`name` is the backend's instance name."""
        prefix = node.get_namespace().strip("/")
        own = [sensor for sensor in sensors.sensors if sensor.name in sensors.own]
        publishers = {
            kind: create_publisher(node, topic)
            for kind, topic in SENSOR_TOPICS.items()
            if any(sensor.kind == kind for sensor in own)
        }
        self.topics: tuple[Topic, ...] = (SENSOR_READINGS, *(SENSOR_TOPICS[kind] for kind in publishers))
        self.frames = [_frame(sensor, prefix) for sensor in own if sensor.kind == "imu"]
        self._outputs: dict[str, tuple[Publisher, Callable[[Any], Any]]] = {
            sensor.name: (publishers[sensor.kind], _fill(sensor, prefix)) for sensor in own if sensor.kind in publishers
        }
        self._readings_out = create_publisher(node, SENSOR_READINGS)
        self._readings = SensorReadingsWriter(spec, name)
        self._published_ns = -1  # the state whose readings were published last

    def publish_all(self, observation: Observation) -> None:
        """Publish the readings that belong to a state in one message, for a controller that waits for them."""
        if self._readings_out.get_subscription_count():
            self._readings_out.publish(self._readings.fill(observation.time_ns, observation.readings))

    def publish(self, observation: Observation) -> None:
        """Publish the readings of a state on the topics of their sensors; those of a repeated state only once."""
        if not observation.readings or observation.time_ns == self._published_ns:
            return
        self._published_ns = observation.time_ns
        for reading in observation.readings:
            publisher, fill = self._outputs.get(reading.sensor, (None, None))
            if publisher is not None and fill is not None and publisher.get_subscription_count():
                publisher.publish(fill(reading))


def _fill(sensor: SensorSpec, prefix: str) -> Callable[[Any], Any]:
    """Return the function that makes a message of a sensor's reading."""
    if sensor.kind == "imu":
        return ImuWriter(sensor, frame_name(prefix, sensor.name)).fill
    if sensor.kind == "battery":
        return BatteryWriter(sensor, frame_name(prefix, BASE_FRAME)).fill
    return PoseWriter(sensor, frame_name(prefix, ODOM_FRAME)).fill


def _frame(sensor: SensorSpec, prefix: str) -> TransformStamped:
    """Return the fixed frame of a sensor on its link."""
    message = TransformStamped(child_frame_id=frame_name(prefix, sensor.name))
    message.header.frame_id = frame_name(prefix, sensor.link)
    translation, rotation = message.transform.translation, message.transform.rotation
    translation.x, translation.y, translation.z = sensor.place
    rotation.w, rotation.x, rotation.y, rotation.z = euler2quat(*sensor.rpy, axes="sxyz").tolist()
    return message
