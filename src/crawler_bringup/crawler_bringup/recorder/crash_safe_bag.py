"""A rosbag2 directory with MCAP storage that readers can open at any moment of the recording.

The MCAP library writes chunks, index and end. Here each flush also puts an end behind the last chunk, which the next
flush overwrites. That end names no index: readers scan the file, so messages must be written in the order of time.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import yaml
from mcap.data_stream import RecordBuilder
from mcap.records import DataEnd, Footer
from mcap.writer import MCAP0_MAGIC, CompressionType, Writer
from rosbags.typesys.store import Typestore

ROSBAG2_VERSION = 9  # of metadata.yaml, as in ROS 2 Jazzy
METADATA_PERIOD_S = 2.0  # between two writings of metadata.yaml


def _end_without_index() -> bytes:
    builder = RecordBuilder()
    DataEnd(data_section_crc=0).write(builder)
    Footer(summary_start=0, summary_offset_start=0, summary_crc=0).write(builder)
    return builder.end() + MCAP0_MAGIC


END_WITHOUT_INDEX = _end_without_index()


class _SealedFile:
    """The stream of the MCAP writer: it collects bytes, and `seal` puts them on the disk with an end behind them."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("xb", buffering=0)
        self._position = 0  # of the end on the disk
        self._new = bytearray()  # bytes that go there

    def write(self, data: bytes) -> int:
        self._new += data
        return len(data)

    def tell(self) -> int:
        return self._position + len(self._new)

    def flush(self) -> None:
        """Do nothing: `seal` decides what is on the disk."""

    def seal(self, end: bytes = END_WITHOUT_INDEX) -> None:
        """Write the collected bytes and `end`. On an OSError the file is as it was before."""
        try:
            self._put(self._position, bytes(self._new) + end)
        except OSError:
            self._put(self._position, END_WITHOUT_INDEX)
            os.ftruncate(self._file.fileno(), self._position + len(END_WITHOUT_INDEX))
            raise
        self._position += len(self._new)
        self._new.clear()

    def close(self) -> None:
        self._file.close()

    def _put(self, at: int, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._file.fileno(), rest, at)
            at, rest = at + written, rest[written:]


class CrashSafeBag:
    """Writes serialised messages. After each `flush` any reader finds everything written before it."""

    def __init__(self, directory: Path) -> None:
        """Raises OSError, where `directory` exists already for instance."""
        directory.mkdir(parents=True)
        self._directory = directory
        self._path = directory / f"{directory.name}.mcap"
        self._file = _SealedFile(self._path)
        self._mcap = Writer(self._file, compression=CompressionType.NONE)  # type: ignore[arg-type]  # it only writes
        self._mcap.start("ros2", "crawler")
        self._schemas: dict[str, int] = {}
        self._topics: dict[int, dict[str, Any]] = {}
        self._counts: Counter[int] = Counter()
        self._first_ns = self._last_ns = 0
        self._metadata_due = 0.0  # s on the steady clock

    def add_topic(self, name: str, type_name: str, types: Typestore) -> int:
        """Return the channel for messages of a topic; `type_name` is such as std_msgs/msg/String."""
        if type_name not in self._schemas:
            definition, _ = types.generate_msgdef(type_name, ros_version=2)
            self._schemas[type_name] = self._mcap.register_schema(type_name, "ros2msg", definition.encode())
        channel = self._mcap.register_channel(name, "cdr", self._schemas[type_name], {"offered_qos_profiles": "[]"})
        self._topics[channel] = {
            "name": name,
            "type": type_name,
            "serialization_format": "cdr",
            "offered_qos_profiles": [],
            "type_description_hash": types.hash_rihs01(type_name),
        }
        return channel

    def write(self, channel: int, time_ns: int, data: bytes) -> None:
        """Add a message. Its time must not be before that of the message written last."""
        if not self._counts:
            self._first_ns = time_ns
        self._last_ns = time_ns
        self._counts[channel] += 1
        self._mcap.add_message(channel, time_ns, data, publish_time=time_ns)

    def flush(self) -> None:
        """Put all messages on the disk. Raises OSError; earlier messages stay readable then."""
        self._mcap.flush()
        self._file.seal()
        if time.monotonic() >= self._metadata_due:
            self._write_metadata()
            self._metadata_due = time.monotonic() + METADATA_PERIOD_S

    def close(self) -> None:
        """Write the index. Raises OSError; the messages of the last `flush` stay readable then."""
        self._mcap.add_metadata("rosbag2", {"serialized_metadata": yaml.safe_dump(self._information())})
        self._mcap.finish()
        self._file.seal(end=b"")
        self._file.close()
        self._write_metadata()

    def _write_metadata(self) -> None:
        file = self._directory / "metadata.yaml"
        part = file.with_suffix(".yaml.tmp")
        part.write_text(yaml.safe_dump({"rosbag2_bagfile_information": self._information()}, sort_keys=False))
        part.replace(file)

    def _information(self) -> dict[str, Any]:
        extent = {
            "duration": {"nanoseconds": self._last_ns - self._first_ns},
            "starting_time": {"nanoseconds_since_epoch": self._first_ns},
            "message_count": self._counts.total(),
        }
        return {
            "version": ROSBAG2_VERSION,
            "storage_identifier": "mcap",
            "relative_file_paths": [self._path.name],
            **extent,
            "topics_with_message_count": [
                {"topic_metadata": topic, "message_count": self._counts[channel]}
                for channel, topic in self._topics.items()
            ],
            "compression_format": "",
            "compression_mode": "",
            "files": [{"path": self._path.name, **extent}],
            "custom_data": None,
            "ros_distro": "jazzy",
        }
