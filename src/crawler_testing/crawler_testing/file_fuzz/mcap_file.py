"""An MCAP file as its parts, which can be changed one by one and written in the forms that readers meet."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import lz4.frame
from rosbags.rosbag2.storage_mcap import zstd

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(0x01, 0x09)
STATISTICS, DATA_END = 0x0B, 0x0F
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "lz4": lz4.frame.compress,
    "zstd": zstd.compress,
}


class Schema(NamedTuple):
    """The definition of a message type."""

    name: str
    encoding: str
    text: str


class Channel(NamedTuple):
    """A topic."""

    schema: int
    topic: str
    encoding: str = "cdr"
    qos: str = "[]"


class McapMessage(NamedTuple):
    """A serialised message."""

    channel: int
    time_ns: int
    data: bytes


@dataclass(frozen=True)
class Layout:
    """The form of a file; the size of its chunks (bytes) is None for messages outside of chunks."""

    chunk_bytes: int | None = None
    compression: str = ""
    has_index: bool = False
    declared_bytes: int | None = None  # size that each chunk claims to have; None: its own


@dataclass(frozen=True)
class McapFile:
    """The parts of a file, by their numbers."""

    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    messages: tuple[McapMessage, ...] = ()
    profile: str = "ros2"

    def write(self, layout: Layout = Layout()) -> bytes:
        """Return the bytes of the file."""
        definitions = [_schema(number, schema) for number, schema in self.schemas.items()]
        definitions += [_channel(number, channel) for number, channel in self.channels.items()]
        out = bytearray(MAGIC + _record(HEADER, _text(self.profile) + _text("crawler fuzz")))
        if layout.chunk_bytes is None:
            for record in definitions:
                out += record
            for message in self.messages:
                out += _message(message)
            return bytes(out + _record(DATA_END, bytes(4)) + _footer(0) + MAGIC)
        index: list[bytes] = []
        rest = list(self.messages)
        while rest or not index:
            chunk, rest = _split(rest, layout.chunk_bytes)
            out += self._chunk(chunk, definitions if not index else [], layout, len(out), index)
        out += _record(DATA_END, bytes(4))
        if not layout.has_index:
            return bytes(out + _footer(0) + MAGIC)
        start = len(out)
        for record in [*definitions, *index, self._statistics(len(index))]:
            out += record
        return bytes(out + _footer(start) + MAGIC)

    def with_message(self, k: int, data: bytes) -> McapFile:
        """Return the file with another content of message `k`."""
        changed = self.messages[k]._replace(data=data)
        return replace(self, messages=(*self.messages[:k], changed, *self.messages[k + 1 :]))

    def _chunk(
        self, chunk: list[McapMessage], definitions: list[bytes], layout: Layout, begin: int, index: list[bytes]
    ) -> bytes:
        body, offsets = bytearray(b"".join(definitions)), dict[int, list[tuple[int, int]]]()
        for message in chunk:
            offsets.setdefault(message.channel, []).append((message.time_ns, len(body)))
            body += _message(message)
        data = COMPRESSORS[layout.compression](bytes(body))
        size = len(body) if layout.declared_bytes is None else layout.declared_bytes
        times = [message.time_ns for message in chunk] or [0]
        span = struct.pack("<QQ", _uint(min(times), 64), _uint(max(times), 64))
        checksum = zlib.crc32(body) if layout.declared_bytes is None else 0
        head = span + struct.pack("<QI", size, checksum) + _text(layout.compression)
        record = _record(CHUNK, head + struct.pack("<Q", len(data)) + data)
        out, places = bytearray(record), bytearray()
        for channel, entries in offsets.items():
            places += struct.pack("<HQ", _uint(channel, 16), begin + len(out))
            rows = b"".join(struct.pack("<QQ", _uint(time, 64), offset) for time, offset in entries)
            out += _record(MESSAGE_INDEX, struct.pack("<HI", _uint(channel, 16), len(rows)) + rows)
        own = span + struct.pack("<QQI", begin, len(record), len(places)) + bytes(places)
        own += struct.pack("<Q", len(out) - len(record)) + _text(layout.compression)
        index.append(_record(CHUNK_INDEX, own + struct.pack("<QQ", len(data), size)))
        return bytes(out)

    def _statistics(self, chunks: int) -> bytes:
        counts = dict.fromkeys(self.channels, 0)
        for message in self.messages:
            counts[message.channel] = counts.get(message.channel, 0) + 1
        times = [message.time_ns for message in self.messages] or [0]
        rows = b"".join(struct.pack("<HQ", _uint(channel, 16), count) for channel, count in counts.items())
        own = struct.pack("<QHIIII", len(self.messages), len(self.schemas), len(self.channels), 0, 0, chunks)
        own += struct.pack("<QQI", _uint(min(times), 64), _uint(max(times), 64), len(rows))
        return _record(STATISTICS, own + rows)


def _split(messages: list[McapMessage], size: int) -> tuple[list[McapMessage], list[McapMessage]]:
    """Return the messages of a chunk of this size (bytes), and the rest."""
    total = 0
    for k, message in enumerate(messages):
        total += len(message.data)
        if total > size:
            return messages[: k + 1], messages[k + 1 :]
    return messages, []


def _uint(value: int, bits: int) -> int:
    return value % 2**bits


def _text(text: str) -> bytes:
    data = text.encode(errors="surrogatepass")
    return struct.pack("<I", len(data)) + data


def _record(kind: int, content: bytes) -> bytes:
    return struct.pack("<BQ", kind, len(content)) + content


def _schema(number: int, schema: Schema) -> bytes:
    return _record(SCHEMA, struct.pack("<H", _uint(number, 16)) + b"".join(_text(part) for part in schema))


def _channel(number: int, channel: Channel) -> bytes:
    metadata = _text("offered_qos_profiles") + _text(channel.qos)
    head = struct.pack("<HH", _uint(number, 16), _uint(channel.schema, 16))
    return _record(CHANNEL, head + _text(channel.topic) + _text(channel.encoding) + _text_bytes(metadata))


def _text_bytes(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data


def _message(message: McapMessage) -> bytes:
    time = _uint(message.time_ns, 64)
    return _record(MESSAGE, struct.pack("<HIQQ", _uint(message.channel, 16), 0, time, time) + message.data)


def _footer(summary_start: int) -> bytes:
    return _record(FOOTER, struct.pack("<QQI", summary_start, 0, 0))
