"""Recordings for tests, written from a simulated run as the recorder writes a ring's."""

from pathlib import Path

import numpy as np
import yaml
from ament_index_python.packages import get_package_share_directory
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

STEP, AHEAD = 10_000_000, 25  # ns between points of the reference, and how many a horizon has


class Recorder:
    """Writes the topics that an analysis reads. `times` are ns."""

    def __init__(self, path: Path) -> None:
        self._store = get_typestore(Stores.ROS2_JAZZY)
        for file in sorted(Path(get_package_share_directory("crawler_interfaces"), "msg").glob("*.msg")):
            self._store.register(get_types_from_msg(file.read_text(), f"crawler_interfaces/msg/{file.stem}"))
        self._writer = Writer(path, version=9, storage_plugin=StoragePlugin.MCAP)
        self._connections = {}

    def __enter__(self):
        self._writer.open()
        return self

    def __exit__(self, *_):
        self._writer.close()

    def _new(self, kind, *values, **named):
        return self._store.types[kind](*values, **named)

    def _write(self, topic, kind, time_ns, message, more=b""):
        if topic not in self._connections:
            self._connections[topic] = self._writer.add_connection(topic, kind, typestore=self._store)
        data = self._store.serialize_cdr(message, kind).tobytes() + more
        self._writer.write(self._connections[topic], time_ns, data)

    def _header(self, time_ns):
        stamp = self._new("builtin_interfaces/msg/Time", *divmod(time_ns, 10**9))
        return self._new("std_msgs/msg/Header", stamp, "odom")

    def _vector(self, values):
        return self._new("geometry_msgs/msg/Vector3", *map(float, values))

    def text(self, topic, text):
        self._write(topic, "std_msgs/msg/String", 0, self._new("std_msgs/msg/String", text))

    def about(self, **said):
        self.text("/run_description", yaml.safe_dump(said))

    def contacts(self, seen, topic="/contact_states", known=True):
        entries = [
            self._new(
                "crawler_interfaces/msg/ContactState",
                foot=contact.foot,
                mode=int(contact.mode) if known else 0,
                source=int(contact.source),
                force=self._vector(contact.force),
                slip_velocity=self._vector(contact.slip_velocity),
            )
            for contact in seen.contacts
        ]
        kind = "crawler_interfaces/msg/ContactStateArray"
        self._write(topic, kind, seen.time_ns, self._new(kind, self._header(seen.time_ns), entries))

    def odometry(self, seen):
        w, x, y, z = map(float, seen.base.quaternion)
        point = self._new("geometry_msgs/msg/Point", *map(float, seen.base.position))
        pose = self._new("geometry_msgs/msg/Pose", point, self._new("geometry_msgs/msg/Quaternion", x, y, z, w))
        twist = self._new("geometry_msgs/msg/Twist", self._vector((0, 0, 0)), self._vector((0, 0, 0)))
        kind, none = "nav_msgs/msg/Odometry", np.zeros(36)
        message = self._new(
            kind,
            self._header(seen.time_ns),
            "base",
            self._new("geometry_msgs/msg/PoseWithCovariance", pose, none),
            self._new("geometry_msgs/msg/TwistWithCovariance", twist, none),
        )
        self._write("/odom", kind, seen.time_ns, message)

    def reference(self, time_ns, joints, position, more=b""):
        """A horizon from `time_ns` on; `position` says where the joints shall be at a time (s). `more` bytes follow."""
        begin = time_ns // STEP * STEP
        points = [
            self._new(
                "trajectory_msgs/msg/JointTrajectoryPoint",
                positions=np.asarray(position((begin + k * STEP) * 1e-9), dtype=float),
                velocities=np.zeros(0),
                accelerations=np.zeros(0),
                effort=np.zeros(0),
                time_from_start=self._new("builtin_interfaces/msg/Duration", 0, k * STEP),
            )
            for k in range(AHEAD)
        ]
        kind = "trajectory_msgs/msg/JointTrajectory"
        self._write("/gait_reference", kind, time_ns, self._new(kind, self._header(begin), list(joints), points), more)
