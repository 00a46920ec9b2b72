"""Mounting of a sensor on the robot: the pose of the base from that of the link that carries it."""

from __future__ import annotations

import numpy as np
from transforms3d.euler import euler2mat
from transforms3d.quaternions import quat2mat

from crawler_core.description.frame import pose_matrix, read_frames
from crawler_core.description.urdf import build_urdf
from crawler_core.gait_metrics.heading import Heading
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import FloatArray, Observation, PoseReading, Vector


class SensorMounting:
    """The pose of one sensor in the base's frame, at any joint angles. For sensors of some dozens of hertz."""

    def __init__(self, spec: RobotSpec, sensor: SensorSpec) -> None:
        self._joints = {name: i for i, name in enumerate(spec.joint_names)}
        by_child = {frame.child: frame for frame in read_frames(build_urdf(spec))}
        self._chain = []
        link = sensor.link
        while link != spec.base_link:
            self._chain.append(by_child[link])
            link = by_child[link].parent
        self._chain.reverse()
        self._place = pose_matrix(sensor.place, euler2mat(*sensor.rpy, axes="sxyz"))

    def in_base(self, measured: Observation) -> FloatArray:
        """Return the sensor's pose in the base's frame, a 4 x 4 matrix."""
        pose = np.eye(4)
        for frame in self._chain:
            angle = float(measured.position[self._joints[frame.joint]]) if frame.joint else 0.0
            pose = pose @ frame.pose(angle)
        return pose @ self._place

    def base_pose(
        self, reading: PoseReading, measured: Observation, attitude: tuple[float, float, float, float]
    ) -> tuple[Vector, float]:
        """Return place (m) and yaw (rad) of the base where the sensor's link has the pose of a reading.

        `attitude` is the base's own estimate: a lever arm is turned by it, as its roll and pitch are better known.
        """
        in_base = self.in_base(measured)
        sensor = quat2mat(reading.quaternion) @ in_base[:3, :3].T
        yaw = float(np.arctan2(sensor[1, 0], sensor[0, 0]))
        believed = quat2mat(attitude)
        turn = yaw - Heading.of(attitude).yaw
        c, s = np.cos(turn), np.sin(turn)
        base = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ believed
        x, y, z = (np.array(reading.position) - base @ in_base[:3, 3]).tolist()
        return (x, y, z), yaw
