"""Reading of MCAP and rosbag2 recordings, also of those that were not closed."""

from __future__ import annotations

import re
import sqlite3
import stat
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.interfaces import Connection
from rosbags.rosbag2.reader import DirectoryReader
from rosbags.rosbag2.storage_mcap import McapReader
from rosbags.typesys import Stores, get_typestore

from crawler_core.errors import UserError
from crawler_core.files import NOT_REGULAR, parse_value, read_yaml
from crawler_nodes.topics import GROUND_TRUTH, RECORDED
from crawler_studies.recordings.bounded_mcap import BoundedMcapReader, check_definitions
from crawler_studies.recordings.truncated_mcap import MCAP_MAGIC, TruncatedMcap

RUN_DESCRIPTION = "run_description"
MAX_MESSAGE_BYTES = 2**16  # of all but texts; the recorder's largest has a tenth of it
MAX_TEXT_MESSAGE_BYTES = 2**20  # of a URDF, or of the description of a run
MAX_FILES = 1_000  # of one recording
MAX_TABLE_ROWS = 1_000  # of the table of contents of a .db3 file
MESSAGE_TYPES = frozenset(f"{topic.type.__module__.split('.')[0]}/msg/{topic.type.__name__}" for topic in RECORDED)
TEXT_TYPE = "std_msgs/msg/String"


class UnreadableMessage(UserError):
    """A message that does not have the form of its type."""


class RecordingReader(AnyReader):
    """An open recording. Damage of its file is a UserError wherever it comes to light."""

    def __init__(self, path: Path) -> None:
        """Open the recording `path` for reading; `find_recording` describes what `path` may be."""
        self.path = path
        source, self.file = find_recording(path)
        _check_file(self.file)
        try:
            if source.is_dir():
                _check_metadata(source)
            if self.file.suffix == ".db3":
                _check_database(self.file)
        except UserError as error:
            raise self._damage(error) from None
        typestore = get_typestore(Stores.ROS2_JAZZY)
        try:
            super().__init__([source], default_typestore=typestore)
            self.open()
        except UserError as error:
            raise self._damage(error) from None
        except Exception as error:
            if not _is_mcap(self.file):
                raise self._damage(error) from None
            try:
                super().__init__([TruncatedMcap(self.file)], default_typestore=typestore)  # type: ignore[list-item]
                self.open()
            except Exception as second_error:
                raise self._damage(second_error) from None

    def open(self) -> None:
        """Open the files within the limits of `BoundedMcapReader`. Raises UserError beyond them."""
        for reader in self.readers:
            storage: Any = reader.storage  # type: ignore[union-attr]  # a rosbag2 reader: those of rosbag1 have another suffix
            if isinstance(storage, McapReader):
                reader.storage = StackMcapReader(storage.path)  # type: ignore[union-attr]
            elif isinstance(storage, DirectoryReader):
                storage.STORAGE_PLUGINS = {**storage.STORAGE_PLUGINS, "mcap": StackMcapReader}
        super().open()
        check_definitions(self.typestore.fielddefs)

    def messages(
        self, connections: Collection[Connection] = (), start: int | None = None, stop: int | None = None
    ) -> Generator[tuple[Connection, int, bytes], None, None]:
        """Yield connection, stamp (ns) and bytes of each message. Raises UserError for a damaged recording."""
        try:
            for message in super().messages(connections, start, stop):
                limit = MAX_TEXT_MESSAGE_BYTES if message[0].msgtype == TEXT_TYPE else MAX_MESSAGE_BYTES
                if len(message[2]) > limit:
                    raise UserError(f"a message of {message[0].topic} has more than {limit // 1024} KiB")
                yield message
        except GeneratorExit:
            raise
        except Exception as error:  # a damaged or foreign file raises anything
            raise self._damage(error) from None

    def deserialize(self, rawdata: bytes, typ: str) -> Any:
        """Return the message. Raises UnreadableMessage for bytes that are none."""
        try:
            return super().deserialize(rawdata, typ)
        except AnyReaderError as error:
            raise UnreadableMessage(str(self._damage(error))) from None
        except Exception as error:
            raise self._damage(error) from None

    @contextmanager
    def content_errors(self) -> Iterator[None]:
        """Report errors of the enclosed code as damage of the file; for code on recorded values, which may be any."""
        try:
            yield
        except (UserError, BrokenPipeError):
            raise
        except Exception as error:
            raise self._damage(error) from None

    def _damage(self, error: Exception) -> UserError:
        if self.file.suffix != ".db3" and not _is_mcap(self.file):
            reason = "it is no MCAP file"
        elif isinstance(error, UserError):
            reason = str(error).rstrip(".")
        elif "profile" in str(error).lower():
            reason = "its messages are not those of ROS 2"
        elif isinstance(error, MemoryError):
            reason = "it needs more memory than there is"
        else:
            reason = f"it is damaged ({str(error).rstrip('.')})"
        return UserError(f"{self.path} cannot be read as a recording: {reason}.")


@contextmanager
def open_recording(path: Path) -> Iterator[RecordingReader]:
    """Open the recording `path`. A file that was cut off reads up to the cut. Raises UserError."""
    with closing(RecordingReader(path)) as reader:
        yield reader


def find_recording(path: Path) -> tuple[Path, Path]:
    """Return what a reader opens, a rosbag2 directory or a file, and the file itself.

    `path` is the file, its directory, or the directory of a run. Raises UserError.
    """
    for directory in (path, path / "recording"):
        files = [*sorted(directory.glob("*.mcap")), *sorted(directory.glob("*.db3"))]
        if len(files) == 1:
            return files[0], files[0]
        if files and (directory / "metadata.yaml").is_file():
            return directory, files[0]
    if path.is_dir():
        raise UserError(f"there is no recording in {path}: './crawler run --record' makes one.")
    if not path.exists():
        raise UserError(f"there is no file {path}.")
    return path, path


def topic_connections(reader: AnyReader, topic: str) -> list[Connection]:
    """Return the connections of a topic, in any namespace."""
    return [connection for connection in reader.connections if stack_topic_name(connection) == topic]


def stack_topic_name(connection: Connection) -> str:
    """Return the name of a recorded topic without its namespace, such as odom or ground_truth/odom."""
    before, _, name = connection.topic.rpartition("/")
    qualified = f"{before.rpartition('/')[2]}/{name}"
    return qualified if qualified == GROUND_TRUTH.name else name


def has_message_type(connection: Connection, message_type: type) -> bool:
    return connection.msgtype == f"{message_type.__module__.split('.')[0]}/msg/{message_type.__name__}"


def read_messages(reader: RecordingReader, connections: list[Connection]) -> Iterator[Any]:
    """Yield the messages of these connections; skip those that cannot be read."""
    if connections:  # without any the reader would give all messages
        for connection, _, data in reader.messages(connections):
            with suppress(UnreadableMessage):  # of an unexpected publisher, such as one with bytes at the end
                yield reader.deserialize(data, connection.msgtype)


def read_texts(reader: RecordingReader, topic: str) -> list[str]:
    """Return the texts of a topic of strings."""
    with reader.content_errors():
        return [str(message.data) for message in read_messages(reader, topic_connections(reader, topic))]


def read_run_metadata(reader: RecordingReader) -> Mapping[str, Any]:
    """Return what the stack recorded of the run; empty where it did not."""
    for text in read_texts(reader, RUN_DESCRIPTION):
        metadata = parse_value(text, RUN_DESCRIPTION)
        if isinstance(metadata, dict):
            return metadata
    return {}


def read_stamps(path: Path, topic: str) -> NDArray[np.int64]:
    """Return the stamps (ns) of all messages of a topic, of a type with a header. Raises UserError."""
    with open_recording(path) as reader:
        messages = read_messages(reader, topic_connections(reader, topic))
        with reader.content_errors():
            return np.array([stamp_ns(message) for message in messages], dtype=np.int64)


def stamp_ns(message: Any) -> int:
    return int(message.header.stamp.sec) * 10**9 + int(message.header.stamp.nanosec)


class StackMcapReader(BoundedMcapReader):
    """Reads the topics of the stack's message types."""

    message_types = MESSAGE_TYPES


def _check_file(file: Path) -> None:
    """Raise UserError for anything but a regular file: a pipe or a device would be waited for, or has no end."""
    try:
        mode = file.stat().st_mode
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise UserError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if not stat.S_ISREG(mode):
        raise UserError(f"{file} cannot be read as a recording: it is {NOT_REGULAR}.")


def _check_metadata(directory: Path) -> None:
    """Raise UserError, as a phrase, for a rosbag2 directory of which reading may take too much."""
    information = read_yaml(directory / "metadata.yaml").get("rosbag2_bagfile_information")
    if not isinstance(information, dict) or not isinstance(information.get("relative_file_paths"), list):
        raise UserError("its metadata.yaml is not that of rosbag2")
    names = information["relative_file_paths"]
    if len(names) > MAX_FILES:
        raise UserError(f"its metadata.yaml lists more than {MAX_FILES} files")
    if str(information.get("compression_mode") or "none").lower() != "none":
        raise UserError("its files are compressed as a whole: unpack them with 'ros2 bag convert'")
    for name in names:
        _check_file(directory / Path(str(name)).name)


def _check_database(file: Path) -> None:
    """Raise UserError, as a phrase, for a .db3 file whose tables are computed, to any size."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            rows = database.execute("SELECT type, sql FROM sqlite_master LIMIT ?", [MAX_TABLE_ROWS + 1]).fetchall()
    except sqlite3.Error as error:
        raise UserError(f"it is damaged ({error})") from None
    if len(rows) > MAX_TABLE_ROWS:
        raise UserError(f"it has more than {MAX_TABLE_ROWS} tables and indices")
    for kind, text in rows:
        if kind not in ("table", "index") or re.search(r"\b(as|generated|virtual)\b", str(text), re.IGNORECASE):
            raise UserError("it has tables that are computed, which no recorder writes")


def _is_mcap(file: Path) -> bool:
    with file.open("rb") as data:
        return data.read(len(MCAP_MAGIC)) == MCAP_MAGIC
