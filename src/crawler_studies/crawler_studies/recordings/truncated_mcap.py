"""An MCAP file that ends in the middle, given an end: what was written before the cut can then be read."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

MAGIC = b"\x89MCAP0\r\n"
HEAD = 9  # bytes of a record's kind and length
CHUNK_HEAD = HEAD + 40  # of a chunk that is not compressed, before its messages
CHUNK, FOOTER, DATA_END = 0x06, 0x02, 0x0F
KINDS = range(0x01, 0x10)
# no checksum of the data; a footer that knows of no index
END = bytes([DATA_END, 4, *bytes(11), FOOTER, 20, *bytes(27)]) + MAGIC


class TruncatedMcap:
    """Stands for the path of such a file where rosbags opens it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.suffix = path.suffix

    def __str__(self) -> str:
        return str(self._path)

    def exists(self) -> bool:
        return self._path.exists()

    def is_dir(self) -> bool:
        return False

    def open(self, _mode: str) -> BinaryIO:
        """What can be read of it, and an end."""
        file = self._path.open("rb")
        return io.BufferedReader(_Mended(file, _whole(file)))


def ends(path: Path) -> bool:
    """Whether the file ends as one that was closed, with an index."""
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        if size < len(MAGIC) + len(END):
            return False
        file.seek(-len(MAGIC) - HEAD - 20, io.SEEK_END)
        footer = file.read()
    return footer[0] == FOOTER and footer.endswith(MAGIC) and any(footer[HEAD : HEAD + 8])


def _whole(file: BinaryIO) -> list[tuple[int, int]]:
    """Begin and length of the parts of the file that hold whole records, of those that belong to the data."""
    size = file.seek(0, io.SEEK_END)
    end = _pass(file, len(MAGIC), size)
    spans = [(0, end)]
    file.seek(end)
    head = file.read(CHUNK_HEAD)
    if len(head) == CHUNK_HEAD and head[0] == CHUNK and head[CHUNK_HEAD - 12 : CHUNK_HEAD - 8] == bytes(4):
        begin = end + CHUNK_HEAD  # outside of a chunk its messages may stand as well
        spans.append((begin, _pass(file, begin, size) - begin))
    return spans


def _pass(file: BinaryIO, begin: int, size: int) -> int:
    """Where the whole records that begin there end."""
    at = begin
    while at + HEAD <= size:
        file.seek(at)
        head = file.read(HEAD)
        after = at + HEAD + int.from_bytes(head[1:], "little")
        if head[0] not in KINDS or head[0] in (FOOTER, DATA_END) or after > size:
            break
        at = after
    return at


class _Mended(io.RawIOBase):
    """Parts of a file one behind the other, and the end."""

    def __init__(self, file: BinaryIO, spans: list[tuple[int, int]]) -> None:
        self._file = file
        self._spans = spans
        self._data = sum(length for _, length in spans)
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._data + len(END)}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._piece(len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def _piece(self, most: int) -> bytes:
        at = self._at
        for begin, length in self._spans:
            if at < length:
                self._file.seek(begin + at)
                return self._file.read(min(most, length - at))
            at -= length
        return END[at : at + most]

    def close(self) -> None:
        self._file.close()
        super().close()
