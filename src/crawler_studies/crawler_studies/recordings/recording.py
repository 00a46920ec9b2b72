"""A recorded run: the robot, its feet, and the reference that its joints followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from rosbags.interfaces import Connection

from crawler_core.errors import UserError
from crawler_core.gait_metrics.heading import Heading
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_nodes.topics import CONTACT_ESTIMATES, GROUND_TRUTH, JOINT_TRAJECTORY, ROBOT_DESCRIPTION
from crawler_studies.recordings.footsteps import Footsteps
from crawler_studies.recordings.recording_reader import (
    RecordingReader,
    open_recording,
    read_messages,
    read_run_metadata,
    read_texts,
    stack_topic_name,
    stamp_ns,
)

CONTACTS_TYPE, ODOMETRY_TYPE = "crawler_interfaces/msg/ContactStateArray", "nav_msgs/msg/Odometry"
REFERENCE_TYPE = "trajectory_msgs/msg/JointTrajectory"


@dataclass(frozen=True)
class Reference:
    """The reference of the actuated joints."""

    joints: tuple[str, ...]
    times: FloatArray  # s, (k,)
    position: FloatArray  # rad, (k, joints)


@dataclass(frozen=True)
class Recording:
    """The contents of a recording. Times count from the first contact states, by the messages' stamps."""

    metadata: Mapping[str, Any]  # of the run, with the sections of its settings; empty where it has none
    robot: str  # the robot's name; empty where it is not known
    feet: tuple[str, ...]
    times: FloatArray  # s, (n,), of the contacts, from 0 on
    modes: FloatArray  # (n, feet)
    forces: FloatArray  # N, in the world, (n, feet, 3)
    odometry: FloatArray  # s, m, m, rad: time, place and yaw, unwrapped, (m, 4)
    is_estimate: bool  # the odometry is what the robot believed; otherwise the truth of a simulation
    reference: Reference | None  # None: there is none

    def footsteps(self, spec: RobotSpec) -> Footsteps:
        """Return the footsteps of the robot `spec`. Raises UserError for another robot's, or where they are unknown."""
        if self.feet != spec.foot_names:
            names = ", ".join(self.feet) or "none"
            raise UserError(f"the recording has other feet ({names}) than {spec.name}: give its robot with --robot.")
        places, yaw = np.full((len(self.times), 2), np.nan), np.zeros(len(self.times))
        if len(self.odometry):
            times, x, y, recorded_yaw = self.odometry.T
            places = np.column_stack([np.interp(self.times, times, values) for values in (x, y)])
            yaw = np.interp(self.times, times, recorded_yaw) if "yaw" in spec.base_motion else yaw
        return Footsteps.from_contacts(self.feet, self.times, self.modes, self.forces, places, yaw)


def read_recording(path: Path) -> Recording:
    """Read the MCAP file `path`, or the one in that directory, a recording's or a run's. Raises UserError."""
    with open_recording(path) as reader, reader.content_errors():
        connections = _connections_by_type(reader, path)
        contacts = list(read_messages(reader, connections[CONTACTS_TYPE]))
        if not contacts:
            raise UserError(f"{path} holds no contact states: the run ended before there were any.")
        feet = tuple(entry.foot for entry in contacts[0].contacts)
        contacts = [message for message in contacts if tuple(entry.foot for entry in message.contacts) == feet]
        stamps, first = np.unique([stamp_ns(message) for message in contacts], return_index=True)
        contacts, origin_ns = [contacts[k] for k in first], int(stamps[0])
        metadata = read_run_metadata(reader)
        odometry = list(read_messages(reader, connections[ODOMETRY_TYPE]))
        return Recording(
            metadata,
            metadata.get("robot_name") or _robot_name_in_urdf(reader),
            feet,
            (stamps - origin_ns) * 1e-9,
            np.array([[entry.mode for entry in message.contacts] for message in contacts], dtype=float),
            np.array([[_vector(entry.force) for entry in message.contacts] for message in contacts]),
            _odometry(odometry, origin_ns),
            any(message.pose.covariance.any() for message in odometry[:1]),  # the truth has no covariance
            _reference(list(read_messages(reader, connections[REFERENCE_TYPE])), origin_ns),
        )


def _connections_by_type(reader: RecordingReader, path: Path) -> dict[str, list[Connection]]:
    """Return the connections that an analysis reads. Raises UserError for no feet or for more than one robot."""
    found = {
        kind: [
            one
            for one in reader.connections
            if one.msgtype == kind and stack_topic_name(one) not in (CONTACT_ESTIMATES.name, JOINT_TRAJECTORY.name)
        ]
        for kind in (CONTACTS_TYPE, ODOMETRY_TYPE, REFERENCE_TYPE)
    }
    if not found[CONTACTS_TYPE]:
        raise UserError(f"{path} holds no contact_states, so nothing of feet: record it with './crawler run --record'.")
    truth = [one for one in found[ODOMETRY_TYPE] if stack_topic_name(one) == GROUND_TRUTH.name]
    found[ODOMETRY_TYPE] = truth or found[ODOMETRY_TYPE]
    for kind, connections in found.items():
        if len({connection.topic for connection in connections}) > 1:
            topics = ", ".join(connection.topic for connection in connections)
            raise UserError(f"{path} holds several {kind.rpartition('/')[2]} ({topics}): record one robot at a time.")
    return found


def _robot_name_in_urdf(reader: RecordingReader) -> str:
    for text in read_texts(reader, ROBOT_DESCRIPTION.name):
        try:
            return ElementTree.fromstring(text).get("name", "")
        except ElementTree.ParseError as error:
            raise UserError(f"{reader.path} has a {ROBOT_DESCRIPTION.name} that is no URDF: {error}.") from None
    return ""


def _odometry(messages: list[Any], origin_ns: int) -> FloatArray:
    rows = []
    for message in messages:
        place, q = message.pose.pose.position, message.pose.pose.orientation
        rows.append(((stamp_ns(message) - origin_ns) * 1e-9, place.x, place.y, Heading.of((q.w, q.x, q.y, q.z)).yaw))
    found = np.array(rows).reshape(-1, 4)
    found = found[np.unique(found[:, 0], return_index=True)[1]]
    found[:, 3] = np.unwrap(found[:, 3])
    return found


def _reference(messages: list[Any], origin_ns: int) -> Reference | None:
    """Return the points of the horizons; of points at one time that of the latest horizon."""
    points: dict[int, FloatArray] = {}
    joints = tuple(messages[0].joint_names) if messages else ()
    for message in messages:
        if tuple(message.joint_names) != joints:
            continue  # of an unexpected publisher
        begin = stamp_ns(message) - origin_ns
        for point in message.points:
            offset = point.time_from_start
            if len(point.positions) == len(joints):
                points[begin + offset.sec * 10**9 + offset.nanosec] = np.array(point.positions, dtype=float)
    if not points:
        return None
    times = sorted(points)
    return Reference(joints, np.array(times) * 1e-9, np.array([points[time] for time in times]))


def _vector(value: Any) -> tuple[float, float, float]:
    return (value.x, value.y, value.z)
