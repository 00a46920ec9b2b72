"""Reading of MCAP and rosbag2 recordings, also of those that were not closed."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.interfaces import Connection
from rosbags.typesys import Stores, get_typestore

from crawler_core.errors import UserError
from crawler_core.files import parse_value
from crawler_nodes.topics import GROUND_TRUTH
from crawler_studies.recordings.truncated_mcap import MCAP_MAGIC, TruncatedMcap

RUN_DESCRIPTION = "run_description"


class UnreadableMessage(UserError):
    """A message that does not have the form of its type."""


class RecordingReader(AnyReader):
    """An open recording. Damage of its file is a UserError wherever it comes to light."""

    def __init__(self, path: Path) -> None:
        """Open the recording `path` for reading; `find_recording` describes what `path` may be."""
        self.path = path
        source, self.file = find_recording(path)
        typestore = get_typestore(Stores.ROS2_JAZZY)
        try:
            super().__init__([source], default_typestore=typestore)
            self.open()
        except Exception as error:
            if not _is_mcap(self.file):
                raise self._damage(error) from None
            try:
                super().__init__([TruncatedMcap(self.file)], default_typestore=typestore)  # type: ignore[list-item]
                self.open()
            except Exception as second_error:
                raise self._damage(second_error) from None

    def messages(
        self, connections: Collection[Connection] = (), start: int | None = None, stop: int | None = None
    ) -> Generator[tuple[Connection, int, bytes], None, None]:
        """Yield connection, stamp (ns) and bytes of each message. Raises UserError for a damaged recording."""
        try:
            yield from super().messages(connections, start, stop)
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
        elif "profile" in str(error).lower():
            reason = "its messages are not those of ROS 2"
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
        if files and (directory / "metadata.yaml").is_file():
            return directory, files[0]
        if len(files) == 1:
            return files[0], files[0]
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


def _is_mcap(file: Path) -> bool:
    with file.open("rb") as data:
        return data.read(len(MCAP_MAGIC)) == MCAP_MAGIC
