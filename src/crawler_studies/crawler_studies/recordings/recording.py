"""What a recording of a ring says of the robot, of its feet, and of the reference that they followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.interfaces import Connection
from rosbags.typesys import Stores, get_typestore

from crawler_core.errors import UserError
from crawler_core.files import parse_value
from crawler_core.gait_metrics.heading import Heading
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_studies.recordings.footsteps import Footsteps
from crawler_studies.recordings.truncated_mcap import MAGIC, TruncatedMcap

CONTACTS, BASE = "crawler_interfaces/msg/ContactStateArray", "nav_msgs/msg/Odometry"
ESTIMATES = "/contact_estimates"  # a law's, of the same type as what is known of the contacts
REFERENCE = "trajectory_msgs/msg/JointTrajectory"
ABOUT, DESCRIPTION = "run_description", "robot_description"


@dataclass(frozen=True)
class Reference:
    """Where the gait wanted the actuated joints."""

    joints: tuple[str, ...]
    times: FloatArray  # s, (k,)
    position: FloatArray  # rad, (k, joints)


@dataclass(frozen=True)
class Recording:
    """A recording, read. Times count from the first contact states, by the messages' stamps."""

    about: Mapping[str, Any]  # what the stack said of the run, with the sections of its settings; empty: it did not
    robot: str  # the robot's name; empty where it is not known
    feet: tuple[str, ...]
    times: FloatArray  # s, (n,), of the contacts, from 0 on
    modes: FloatArray  # (n, feet)
    forces: FloatArray  # N, in the world, (n, feet, 3)
    odometry: FloatArray  # s, m, m, rad: time, place and yaw, unwrapped, (m, 4)
    reference: Reference | None  # None: there is none

    def footsteps(self, spec: RobotSpec) -> Footsteps:
        """Of the robot `spec`. Raises UserError where they are another's, or nothing is known of them."""
        if self.feet != spec.foot_names:
            theirs = ", ".join(self.feet) or "none"
            raise UserError(
                f"the recording is of other feet ({theirs}) than {spec.name}'s: give its robot with --robot."
            )
        places, yaw = np.full((len(self.times), 2), np.nan), np.zeros(len(self.times))
        if len(self.odometry):
            at, x, y, turned = self.odometry.T
            places = np.column_stack([np.interp(self.times, at, values) for values in (x, y)])
            yaw = np.interp(self.times, at, turned) if "yaw" in spec.base_motion else yaw
        return Footsteps.read(self.feet, self.times, self.modes, self.forces, places, yaw)


def read_recording(path: Path) -> Recording:
    """The MCAP file `path`, or the one in that directory, a recording's or a run's. Raises UserError for any other."""
    with reading(path) as reader:
        return _read(reader, path)


def read_stamps(path: Path, topic: str) -> NDArray[np.int64]:
    """The stamps (ns) of all messages of a topic, of a type with a header. Raises UserError as read_recording."""
    with reading(path) as reader:
        return np.array(
            [_stamp(message) for message in read_messages(reader, connections(reader, topic))], dtype=np.int64
        )


def connections(reader: AnyReader, topic: str) -> list[Connection]:
    """Those of a topic, in whatever namespace."""
    return [connection for connection in reader.connections if connection.topic.rpartition("/")[2] == topic]


def is_of(connection: Connection, kind: type) -> bool:
    """Whether its messages are of this type."""
    return connection.msgtype == f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"


@contextmanager
def reading(path: Path) -> Iterator[AnyReader]:
    """The MCAP file `path`, or the one in that directory, a recording's or a run's, up to where it was cut.

    Raises UserError for any other, and for what comes out while it is read.
    """
    source, file = find_recording(path)
    try:
        with closing(_opened(source, file)) as reader:
            yield reader
    except (UserError, BrokenPipeError):  # nobody reads any more what is printed meanwhile
        raise
    except Exception as error:  # whatever a file that is damaged or foreign does to its reader
        raise UserError(f"{path} cannot be read as a recording: {_why(file, error)}.") from None


def find_recording(path: Path) -> tuple[Path, Path]:
    """What is to be opened, a rosbag2 directory or a file, and the file itself. Raises UserError."""
    for place in (path, path / "recording"):
        files = [*sorted(place.glob("*.mcap")), *sorted(place.glob("*.db3"))]
        if files and (place / "metadata.yaml").is_file():
            return place, files[0]
        if len(files) == 1:
            return files[0], files[0]
    if path.is_dir():
        raise UserError(f"there is no recording in {path}: './crawler run --record' makes one.")
    if not path.exists():
        raise UserError(f"there is no file {path}.")
    return path, path


def _opened(source: Path, file: Path) -> AnyReader:
    known = get_typestore(Stores.ROS2_JAZZY)
    reader = AnyReader([source], default_typestore=known)
    try:
        reader.open()
    except Exception:
        if not _begins(file):
            raise
        reader = AnyReader([TruncatedMcap(file)], default_typestore=known)  # type: ignore[list-item]  # it asks no more
        reader.open()
    return reader


def _why(file: Path, error: Exception) -> str:
    if file.suffix != ".db3" and not _begins(file):
        return "it is no MCAP file"
    if "profile" in str(error).lower():
        return "its messages are not those of ROS 2"
    return f"it is damaged ({str(error).rstrip('.')})"


def _begins(file: Path) -> bool:
    """Whether it begins as an MCAP file."""
    with file.open("rb") as data:
        return data.read(len(MAGIC)) == MAGIC


def _read(reader: AnyReader, path: Path) -> Recording:
    by_type = {
        kind: [c for c in reader.connections if c.msgtype == kind and not c.topic.endswith(ESTIMATES)]
        for kind in (CONTACTS, BASE, REFERENCE)
    }
    if not by_type[CONTACTS]:
        raise UserError(f"{path} holds no contact_states, so nothing of feet: record it with './crawler run --record'.")
    for kind, found in by_type.items():
        if len({connection.topic for connection in found}) > 1:
            topics = ", ".join(connection.topic for connection in found)
            raise UserError(f"{path} holds several {kind.rpartition('/')[2]} ({topics}): record one robot at a time.")
    contacts = list(read_messages(reader, by_type[CONTACTS]))
    if not contacts:
        raise UserError(f"{path} holds no contact states: the run ended before there were any.")
    about = read_run_metadata(reader)
    feet = tuple(entry.foot for entry in contacts[0].contacts)
    contacts = [message for message in contacts if tuple(entry.foot for entry in message.contacts) == feet]
    stamps, first = np.unique([_stamp(message) for message in contacts], return_index=True)
    contacts, origin = [contacts[k] for k in first], int(stamps[0])
    return Recording(
        about,
        about.get("robot_name") or _name_in_urdf(reader),
        feet,
        (stamps - origin) * 1e-9,
        np.array([[entry.mode for entry in message.contacts] for message in contacts], dtype=float),
        np.array([[_vector(entry.force) for entry in message.contacts] for message in contacts]),
        _odometry(list(read_messages(reader, by_type[BASE])), origin),
        _reference(list(read_messages(reader, by_type[REFERENCE])), origin),
    )


def read_messages(reader: AnyReader, there: list[Connection]) -> Iterator[Any]:
    """The messages of these connections that can be read."""
    if there:  # without any the reader would give all messages
        for connection, _, data in reader.messages(there):
            with suppress(AnyReaderError):  # a stranger may send what only some can read, such as bytes at the end
                yield reader.deserialize(data, connection.msgtype)


def _texts(reader: AnyReader, topic: str) -> list[str]:
    return [str(message.data) for message in read_messages(reader, connections(reader, topic))]


def read_run_metadata(reader: AnyReader) -> Mapping[str, Any]:
    """What the stack said of the run; empty where it did not."""
    for text in _texts(reader, ABOUT):
        said = parse_value(text, ABOUT)
        if isinstance(said, dict):
            return said
    return {}


def _name_in_urdf(reader: AnyReader) -> str:
    return next((ElementTree.fromstring(text).get("name", "") for text in _texts(reader, DESCRIPTION)), "")


def _odometry(messages: list[Any], origin: int) -> FloatArray:
    rows = []
    for message in messages:
        place, q = message.pose.pose.position, message.pose.pose.orientation
        rows.append(((_stamp(message) - origin) * 1e-9, place.x, place.y, Heading.of((q.w, q.x, q.y, q.z)).yaw))
    found = np.array(rows).reshape(-1, 4)
    found = found[np.unique(found[:, 0], return_index=True)[1]]
    found[:, 3] = np.unwrap(found[:, 3])
    return found


def _reference(messages: list[Any], origin: int) -> Reference | None:
    """The points of the horizons, each time as the latest horizon that has it says."""
    points: dict[int, FloatArray] = {}
    joints = tuple(messages[0].joint_names) if messages else ()
    for message in messages:
        if tuple(message.joint_names) != joints:
            continue  # a stranger's
        begin = _stamp(message) - origin
        for point in message.points:
            after = point.time_from_start
            if len(point.positions) == len(joints):
                points[begin + after.sec * 10**9 + after.nanosec] = np.array(point.positions, dtype=float)
    if not points:
        return None
    order = sorted(points)
    return Reference(joints, np.array(order) * 1e-9, np.array([points[time] for time in order]))


def _stamp(message: Any) -> int:
    """ns"""
    return int(message.header.stamp.sec) * 10**9 + int(message.header.stamp.nanosec)


def _vector(value: Any) -> tuple[float, float, float]:
    return (value.x, value.y, value.z)
