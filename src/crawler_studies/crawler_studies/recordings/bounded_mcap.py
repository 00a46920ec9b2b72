"""Reading of MCAP files by rosbags within limits: a recording may come from anybody, and may claim any size."""

from __future__ import annotations

import heapq
import io
from collections.abc import Collection
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from lz4.frame import LZ4FrameDecompressor
from rosbags.interfaces import MessageDefinitionFormat, Nodetype
from rosbags.interfaces.typing import RPath
from rosbags.rosbag2 import storage_mcap
from rosbags.rosbag2.storage_mcap import McapReader

from crawler_core.errors import UserError

MAX_CHANNELS = 2_000  # topics, of which each takes about 1 ms to open
MAX_SCHEMAS = 2_000  # message types
MAX_CHUNKS = 100_000
MAX_CHUNK_BYTES = 2**26  # unpacked; recorders write chunks of some 2**20
MAX_OPEN_BYTES = 2**28  # unpacked, of chunks that overlap in time: they are in memory at once
MAX_READ_BYTES = MAX_CHUNK_BYTES + 2**16  # of one record
MAX_DEFINITION_BYTES = 2**16  # of one message type with those in it
MAX_ARRAY_LENGTH = 1_000  # of an array in a message type; a covariance has 36
MiB = 2**20

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedList(list[Value]):
    """A list that rejects more than `limit` values, counted over its life."""

    def __init__(self, limit: int, name: str) -> None:
        super().__init__()
        self._left, self._limit, self._name = limit, limit, name

    def append(self, value: Value) -> None:
        """Append a value. Raises UserError where there are too many."""
        self._left -= 1
        if self._left < 0:
            raise UserError(f"it has more than {self._limit} {self._name}")
        super().append(value)


class BoundedDict(dict[Key, Value]):
    """A mapping that rejects more than `limit` assignments."""

    def __init__(self, limit: int, name: str) -> None:
        super().__init__()
        self._left, self._limit, self._name = limit, limit, name

    def __setitem__(self, key: Key, value: Value) -> None:
        self._left -= 1
        if self._left < 0:
            raise UserError(f"it has more than {self._limit} {self._name}")
        super().__setitem__(key, value)


class BoundedFile(io.BufferedReader):
    """A file of which one call reads no more than MAX_READ_BYTES, whatever length a record claims."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read up to `size` bytes."""
        return super().read(size if size is None or size < MAX_READ_BYTES else MAX_READ_BYTES)


class BoundedPath:
    """Takes the place of a file's path where rosbags opens it."""

    def __init__(self, path: RPath) -> None:
        self._path = path
        self.suffix = path.suffix
        self.stem, self.name = Path(str(path)).stem, Path(str(path)).name

    def __str__(self) -> str:
        return str(self._path)

    def exists(self) -> bool:
        """Return True where the file is there."""
        return self._path.exists()

    def is_dir(self) -> bool:
        """Return False: it is a file."""
        return False

    def open(self, mode: Any) -> BinaryIO:
        """Open the file to read it."""
        file: Any = self._path.open(mode)
        return BoundedFile(file.detach())


class BoundedMcapReader(McapReader):
    """Reads topics of the given message types alone. Raises UserError, as a phrase about the file, beyond a limit."""

    message_types: Collection[str] = ()  # such as std_msgs/msg/String; empty: all

    def __init__(self, path: RPath) -> None:
        super().__init__(BoundedPath(path))  # type: ignore[arg-type]  # it has what the reader uses
        self.schemas = BoundedDict(MAX_SCHEMAS, "message types")
        self.channels = BoundedDict(MAX_CHANNELS, "topics")
        self.chunks = BoundedList(MAX_CHUNKS, "chunks")
        self.connections = BoundedList(MAX_CHANNELS, "topics")

    def open(self) -> None:
        """Open the file and read its index. Definitions of unused types are dropped unread."""
        super().open()
        if self.message_types:
            self.connections = [one for one in self.connections if one.msgtype in self.message_types]
        for connection in self.connections:
            definition = connection.msgdef
            if definition.format is MessageDefinitionFormat.IDL:
                raise UserError(f"it defines {connection.msgtype} in IDL, which is not read")
            if len(definition.data) > MAX_DEFINITION_BYTES:
                raise UserError(f"its definition of {connection.msgtype} has more than {MAX_DEFINITION_BYTES} bytes")
        self._check_chunks()

    def _check_chunks(self) -> None:
        """Raise UserError where chunks that overlap in time are too large together."""
        ends: list[tuple[int, int]] = []  # time of the last message, size
        total = 0
        for chunk in sorted(self.chunks, key=lambda one: one.message_start_time):
            while ends and ends[0][0] < chunk.message_start_time:
                total -= heapq.heappop(ends)[1]
            heapq.heappush(ends, (chunk.message_end_time, chunk.uncompressed_size))
            total += chunk.uncompressed_size
            if total > MAX_OPEN_BYTES:
                raise UserError(f"it has more than {MAX_OPEN_BYTES // MiB} MB at one time")


def check_definitions(definitions: Any) -> None:
    """Raise UserError for message types, as rosbags has parsed them, whose code would be too large."""
    for name, (_, fields) in definitions.items():
        for field, (kind, content, *_) in fields:
            if kind == Nodetype.ARRAY and not 1 <= content[1] <= MAX_ARRAY_LENGTH:
                raise UserError(
                    f"{name}.{field} is an array of {content[1]} values, where 1 to {MAX_ARRAY_LENGTH} are allowed"
                )


def _check_chunk_size(size: int) -> int:
    if size > MAX_CHUNK_BYTES:
        raise UserError(f"a chunk in it has more than {MAX_CHUNK_BYTES // MiB} MB")
    return size


def _unpack_lz4(data: bytes, size: int) -> bytes:
    return bytes(LZ4FrameDecompressor().decompress(data, max_length=_check_chunk_size(size) + 1))


def _unpack_zstd(data: bytes, size: int) -> bytes:
    return bytes(storage_mcap.zstd.ZstdDecompressor().decompress(data, max_length=_check_chunk_size(size) + 1))


# rosbags unpacks a chunk to any size, and compares that with the chunk's own claim only then
storage_mcap.DECOMPRESSORS.update({"lz4": _unpack_lz4, "zstd": _unpack_zstd})
