"""An MCAP file that was cut off, with an end appended in memory, so that rosbags reads it up to the cut."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

MCAP_MAGIC = b"\x89MCAP0\r\n"
RECORD_HEADER_BYTES = 9  # kind and length
CHUNK_HEADER_BYTES = RECORD_HEADER_BYTES + 40  # of a chunk that is not compressed
FOOTER, CHUNK, DATA_END = 0x02, 0x06, 0x0F
RECORD_KINDS = range(0x01, 0x10)
# data without a checksum, and a footer without an index
END_BYTES = bytes([DATA_END, 4, *bytes(11), FOOTER, 20, *bytes(27)]) + MCAP_MAGIC


class TruncatedMcap:
    """Takes the place of the file's path where rosbags opens it."""

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
        file = self._path.open("rb")
        return io.BufferedReader(_RepairedFile(file, _whole_spans(file)))


def has_end(path: Path) -> bool:
    """Return True for a file that was closed with an index."""
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        if size < len(MCAP_MAGIC) + len(END_BYTES):
            return False
        file.seek(-len(MCAP_MAGIC) - RECORD_HEADER_BYTES - 20, io.SEEK_END)
        footer = file.read()
    index_offset = footer[RECORD_HEADER_BYTES : RECORD_HEADER_BYTES + 8]
    return footer[0] == FOOTER and footer.endswith(MCAP_MAGIC) and any(index_offset)


def _whole_spans(file: BinaryIO) -> list[tuple[int, int]]:
    """Return begin and length of the parts of the file that hold whole records."""
    size = file.seek(0, io.SEEK_END)
    end = _end_of_records(file, len(MCAP_MAGIC), size)
    spans = [(0, end)]
    file.seek(end)
    header = file.read(CHUNK_HEADER_BYTES)
    is_chunk = len(header) == CHUNK_HEADER_BYTES and header[0] == CHUNK
    if is_chunk and header[CHUNK_HEADER_BYTES - 12 : CHUNK_HEADER_BYTES - 8] == bytes(4):  # not compressed
        begin = end + CHUNK_HEADER_BYTES  # its messages may stand outside of a chunk as well
        spans.append((begin, _end_of_records(file, begin, size) - begin))
    return spans


def _end_of_records(file: BinaryIO, begin: int, size: int) -> int:
    """Return the end of the whole records that start at `begin`."""
    position = begin
    while position + RECORD_HEADER_BYTES <= size:
        file.seek(position)
        header = file.read(RECORD_HEADER_BYTES)
        end = position + RECORD_HEADER_BYTES + int.from_bytes(header[1:], "little")
        if header[0] not in RECORD_KINDS or header[0] in (FOOTER, DATA_END) or end > size:
            break
        position = end
    return position


class _RepairedFile(io.RawIOBase):
    """Parts of a file, one behind the other, and the end."""

    def __init__(self, file: BinaryIO, spans: list[tuple[int, int]]) -> None:
        self._file = file
        self._spans = spans
        self._size = sum(length for _, length in spans)  # without the end
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size + len(END_BYTES)}[whence]
        self._position = max(0, start + offset)
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._read_part(len(buffer))
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _read_part(self, count: int) -> bytes:
        offset = self._position
        for begin, length in self._spans:
            if offset < length:
                self._file.seek(begin + offset)
                return self._file.read(min(count, length - offset))
            offset -= length
        return END_BYTES[offset : offset + count]

    def close(self) -> None:
        self._file.close()
        super().close()
