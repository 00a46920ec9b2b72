"""Packets of docs/board_protocol.md and frames on the line, there and back. Pure functions of bytes."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Protocol

from hw_drivers.board.messages import ANSWERS, Answer, BadMessage

END = b"\x00"  # of a frame
LONGEST = 283  # bytes between two ENDs: more is no frame
NOBODY = 0  # the session of those who have none
STEP = 1000  # by which a sequence number may go forward
_PIECE = 254  # bytes that go into one of COBS without a 0 among them
_HEAD = struct.Struct("<BI")
_WORD = struct.Struct("<I")


class Packable(Protocol):
    """A message that a packet can carry."""

    @property
    def type(self) -> int: ...

    def pack(self) -> bytes:
        """The bytes of its fields."""
        ...


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet whose CRC was right."""

    type: int
    number: int  # of its sender
    fields: bytes

    def answer(self) -> Answer:
        """The message of a board. Raises BadMessage."""
        kind = ANSWERS.get(self.type)
        if kind is None:
            raise BadMessage(f"0x{self.type:02x} is no message of a board")
        return kind.unpack(self.fields)


def frame(message: Packable, number: int, session: int = NOBODY) -> bytes:
    """The bytes on the line."""
    packet = _HEAD.pack(message.type, number) + message.pack()
    return stuff(packet + _WORD.pack(_crc(packet, session))) + END


def opened(packet: bytes, session: int) -> Packet | None:
    """What a packet says, or None where it is damaged, or of another session."""
    if len(packet) < _HEAD.size + _WORD.size:
        return None
    body = packet[: -_WORD.size]
    if _WORD.pack(_crc(body, session)) != packet[-_WORD.size :]:
        return None
    kind, number = _HEAD.unpack_from(body)
    return Packet(kind, number, body[_HEAD.size :])


def line_size(fields: int) -> int:
    """Bytes on the line of a message with so many bytes of fields, at most."""
    packet = _HEAD.size + fields + _WORD.size
    return packet + packet // _PIECE + 1 + len(END)


def follows(number: int, last: int) -> bool:
    """Whether a packet with this sequence number may come after one with the other."""
    return 0 < number - last <= STEP


def stuff(packet: bytes) -> bytes:
    """COBS: the packet without any 0."""
    out = bytearray()
    for piece in packet.split(END):
        while len(piece) >= _PIECE:
            out += b"\xff" + piece[:_PIECE]
            piece = piece[_PIECE:]
        out += bytes([len(piece) + 1]) + piece
    return bytes(out)


def unstuff(data: bytes) -> bytes | None:
    """The packet in what stood between two ENDs, or None where that is none."""
    out, at, zero = bytearray(), 0, False
    while at < len(data):
        if zero:
            out += END
        reach = data[at]
        out += data[at + 1 : at + reach]
        at += reach
        zero = reach <= _PIECE
    return bytes(out) if at == len(data) else None


class Parser:
    """Finds the packets in a stream of bytes of which some are lost or damaged."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def reset(self) -> None:
        """Forget what came so far."""
        self._buffer.clear()

    def feed(self, data: bytes) -> list[bytes]:
        """The packets that `data` completes, unopened."""
        self._buffer += data
        *whole, rest = self._buffer.split(END)
        self._buffer = rest[: LONGEST + 1]  # what is too long already stays so until its END
        return [packet for one in whole if 0 < len(one) <= LONGEST and (packet := unstuff(bytes(one))) is not None]


def _crc(packet: bytes, session: int) -> int:
    return zlib.crc32(packet, zlib.crc32(_WORD.pack(session)))
