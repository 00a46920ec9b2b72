"""A rosbag2 directory with MCAP storage that is whole at any moment: whatever ends its writer leaves what came before.

rosbags writes an MCAP file's chunks once they are full, and its end and metadata.yaml when it is closed. Here the chunk
that is being filled stands in the file too, with an end behind it that the next `flush` writes over. Such an end says
that there is no index, so that readers go through the file, which is why messages have to come in the order of time.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, ClassVar

from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.rosbag2.enums import CompressionMode
from rosbags.rosbag2.storage_mcap import McapWriter

MAGIC = b"\x89MCAP0\r\n"
# no checksum of the data; a footer that knows of no summary
END = b"\x0f" + (4).to_bytes(8, "little") + bytes(4) + b"\x02" + (20).to_bytes(8, "little") + bytes(20) + MAGIC
CHUNK_HEAD = 49  # bytes of a chunk's record before its messages
DESCRIBE_EVERY = 2.0  # s between two writings of metadata.yaml: it takes some 20 ms


class _Growing:
    """The file: what is written is gathered, and `sync` puts it there with the part that is not finished."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._begin = 0  # of what is not yet on the disk as it will stay
        self._new = bytearray()  # from there on
        self._there = 0  # bytes that are on the disk from there on

    def write(self, data: bytes | memoryview) -> int:
        self._new += data
        return len(data)

    def tell(self) -> int:
        return self._begin + len(self._new)

    def sync(self, unfinished: bytes, end: bytes) -> None:
        """Raises OSError; what was there before stays readable then."""
        content = bytes(self._new) + unfinished
        try:
            # first behind what is there, then the length that covers it: between the two the file can be read as well
            self._put(self._begin + self._there, content[self._there :] + end)
        except OSError:
            self._put(self._begin + self._there, end)
            os.ftruncate(self._fd, self._begin + self._there + len(end))
            raise
        self._put(self._begin, content[: min(self._there, CHUNK_HEAD)])
        self._begin += len(self._new)
        self._there = len(unfinished)
        self._new.clear()

    def close(self) -> None:
        self.sync(b"", b"")
        os.close(self._fd)

    def _put(self, at: int, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._fd, rest, at)
            at, rest = at + written, rest[written:]


class _LastingMcap(McapWriter):
    """An MCAP file as rosbags writes it, and whole after each `flush`."""

    def __init__(self, path: Path, compression: CompressionMode) -> None:
        super().__init__(path, compression)
        self.bio.close()
        self._file = _Growing(os.open(self.path, os.O_WRONLY))
        self._file.write(self.path.read_bytes())
        self.bio: Any = self._file

    def flush(self) -> None:
        chunk = self.chunk
        body = chunk.bio.getvalue()
        self._file.sync(_chunk_head(chunk.message_start_time, chunk.message_end_time, len(body)) + body, END)


def _chunk_head(start: int, end: int, size: int) -> bytes:
    times = start.to_bytes(8, "little") + end.to_bytes(8, "little")
    # no checksum, no compression
    rest = size.to_bytes(8, "little") + bytes(4) + bytes(4) + size.to_bytes(8, "little")
    return b"\x06" + (40 + size).to_bytes(8, "little") + times + rest


class _Described:
    """Stands for the storage while metadata.yaml is written and nothing is closed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def close(self, _version: int, _metadata: str) -> None:
        pass


class CrashSafeBag(Writer):
    """As rosbags' writer, in MCAP; after each `flush` any reader finds everything that was written before it."""

    STORAGE_PLUGINS: ClassVar[Any] = {StoragePlugin.MCAP: _LastingMcap}  # type: ignore[misc]  # it is the class's

    def __init__(self, path: Path) -> None:
        """Raises WriterError where there is something at `path` already."""
        super().__init__(path, version=9, storage_plugin=StoragePlugin.MCAP)
        self._due = 0.0  # s on the steady clock, when metadata.yaml is to be written again

    def flush(self) -> None:
        """Put it on the disk. Raises OSError; what was there before stays readable then."""
        storage: Any = self.storage
        storage.flush()
        if time.monotonic() >= self._due:
            self.storage = _Described(storage.path)  # type: ignore[assignment]
            try:
                Writer.close(self)
            finally:
                self.storage = storage
            self._due = time.monotonic() + DESCRIBE_EVERY
