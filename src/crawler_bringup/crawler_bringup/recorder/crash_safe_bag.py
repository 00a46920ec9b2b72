"""A rosbag2 directory with MCAP storage that readers can open at any moment of the recording.

rosbags writes a chunk once it is full, and index and end when the file is closed. Here each flush also writes the chunk
so far, with an end behind it that the next flush overwrites. That end names no index: readers scan the file, so
messages must be written in the order of time.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from struct import Struct
from typing import Any

import yaml
from rosbags.interfaces import Connection, ConnectionExtRosbag2, MessageDefinition, MessageDefinitionFormat
from rosbags.rosbag2.enums import CompressionMode
from rosbags.rosbag2.storage_mcap import McapWriter
from rosbags.typesys.store import Typestore

METADATA_VERSION = 9  # of rosbag2 in ROS 2 Jazzy
METADATA_PERIOD_S = 2.0  # between two writings of metadata.yaml
# opcode, length of the record, times of the first and last message, size, checksum, no compression, size
CHUNK_HEAD = Struct("<BQQQQIIQ")
DATA_END, FOOTER = Struct("<BQI"), Struct("<BQQQI")
END_WITHOUT_INDEX = DATA_END.pack(0x0F, 4, 0) + FOOTER.pack(0x02, 20, 0, 0, 0) + b"\x89MCAP0\r\n"


class CrashSafeBag:
    """Writes serialised messages. After each `flush` any reader finds everything written before it."""

    def __init__(self, directory: Path) -> None:
        """Raises OSError, where `directory` exists already for instance."""
        directory.mkdir(parents=True)
        self._metadata_file = directory / "metadata.yaml"
        self._metadata_due = 0.0  # s on the steady clock
        self._mcap = McapWriter(directory, CompressionMode.NONE)
        self._mcap.bio.close()
        self._file = _ProvisionalFile(self._mcap.path)
        self._mcap.bio = self._file  # type: ignore[assignment]  # it only writes
        self._connections: list[Connection] = []

    def add_connection(self, topic: str, type_name: str, types: Typestore) -> Connection:
        """Add a topic; `type_name` is such as std_msgs/msg/String."""
        definition, _ = types.generate_msgdef(type_name, ros_version=2)
        connection = Connection(
            id=len(self._connections) + 1,
            topic=topic,
            msgtype=type_name,
            msgdef=MessageDefinition(MessageDefinitionFormat.MSG, definition),
            digest=types.hash_rihs01(type_name),
            msgcount=0,
            ext=ConnectionExtRosbag2(serialization_format="cdr", offered_qos_profiles=[]),
            owner=self,
        )
        if type_name not in {known.msgtype for known in self._connections}:
            self._mcap.add_msgtype(connection)
        self._mcap.add_connection(connection, offered_qos_profiles="[]")
        self._connections.append(connection)
        return connection

    def write(self, connection: Connection, time_ns: int, data: bytes) -> None:
        """Add a message. Its time must not be before that of the message written last."""
        self._mcap.write(connection, time_ns, data)

    def flush(self) -> None:
        """Put all messages on the disk. Raises OSError; earlier messages stay readable then."""
        chunk = self._mcap.chunk
        body = chunk.bio.getvalue()
        times = chunk.message_start_time, chunk.message_end_time
        head = CHUNK_HEAD.pack(0x06, CHUNK_HEAD.size - 9 + len(body), *times, len(body), 0, 0, len(body))
        self._file.sync(head + body)
        if time.monotonic() >= self._metadata_due:
            self._write_metadata()
            self._metadata_due = time.monotonic() + METADATA_PERIOD_S

    def close(self) -> None:
        """Write the index. Raises OSError; the messages of the last `flush` stay readable then."""
        self._mcap.close(METADATA_VERSION, yaml.safe_dump(self._information(), sort_keys=False))
        self._write_metadata()

    def _write_metadata(self) -> None:
        part = self._metadata_file.with_suffix(".yaml.tmp")
        part.write_text(yaml.safe_dump({"rosbag2_bagfile_information": self._information()}, sort_keys=False))
        part.replace(self._metadata_file)

    def _information(self) -> dict[str, Any]:
        file, counts = self._mcap.path.name, self._mcap.channel_stats
        extent = {
            "duration": {"nanoseconds": max(0, self._mcap.message_end_time - self._mcap.message_start_time)},
            "starting_time": {"nanoseconds_since_epoch": self._mcap.message_start_time},
            "message_count": sum(counts.values()),
        }
        topics = [
            {
                "topic_metadata": {
                    "name": connection.topic,
                    "type": connection.msgtype,
                    "serialization_format": "cdr",
                    "offered_qos_profiles": [],
                    "type_description_hash": connection.digest,
                },
                "message_count": counts[connection.id],
            }
            for connection in self._connections
        ]
        return {
            "version": METADATA_VERSION,
            "storage_identifier": "mcap",
            "relative_file_paths": [file],
            **extent,
            "topics_with_message_count": topics,
            "compression_format": "",
            "compression_mode": "",
            "files": [{"path": file, **extent}],
            "custom_data": None,
            "ros_distro": "rosbags",
        }


class _ProvisionalFile:
    """A file whose last part is provisional: `write` collects what is final, `sync` puts both on the disk."""

    def __init__(self, path: Path) -> None:
        """Continue the file at `path`."""
        self._file = os.open(path, os.O_WRONLY)
        self._final = path.stat().st_size  # bytes on the disk
        self._provisional = 0  # bytes on the disk, behind the final ones
        self._new = bytearray()  # final bytes that are not on the disk

    def write(self, data: bytes) -> int:
        self._new += data
        return len(data)

    def tell(self) -> int:
        return self._final + len(self._new)

    def sync(self, provisional: bytes, end: bytes = END_WITHOUT_INDEX) -> None:
        """Write the collected bytes, `provisional` and `end`. On an OSError the file is as it was before."""
        content = bytes(self._new) + provisional
        behind = self._final + self._provisional
        try:
            # The bytes behind first, then the chunk's head with the new length: the file is readable in between.
            self._put(behind, content[self._provisional :] + end)
        except OSError:
            self._put(behind, END_WITHOUT_INDEX)
            os.ftruncate(self._file, behind + len(END_WITHOUT_INDEX))
            raise
        self._put(self._final, content[: min(self._provisional, CHUNK_HEAD.size)])
        self._final += len(self._new)
        self._provisional = len(provisional)
        self._new.clear()

    def close(self) -> None:
        self.sync(b"", end=b"")
        os.close(self._file)

    def _put(self, at: int, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._file, rest, at)
            at, rest = at + written, rest[written:]
