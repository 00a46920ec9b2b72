"""Packets of docs/board_protocol.md and frames on the line, there and back. Pure functions of bytes."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Protocol

from hw_drivers.board.messages import ANSWER_TYPES, Answer, BadMessage

FRAME_END = b"\x00"  # of a frame
MAX_FRAME_BYTES = 283  # bytes between two ENDs: more is no frame
NO_SESSION = 0  # the session of those who have none
MAX_SEQUENCE_STEP = 1000  # by which a sequence number may go forward
_COBS_BLOCK = 254  # bytes that go into one of COBS without a 0 among them
_PACKET_HEAD = struct.Struct("<BI")
_CRC_WORD = struct.Struct("<I")


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
        kind = ANSWER_TYPES.get(self.type)
        if kind is None:
            raise BadMessage(f"0x{self.type:02x} is no message of a board")
        return kind.unpack(self.fields)


def frame(message: Packable, number: int, session: int = NO_SESSION) -> bytes:
    """The bytes on the line."""
    packet = _PACKET_HEAD.pack(message.type, number) + message.pack()
    return stuff(packet + _CRC_WORD.pack(_crc(packet, session))) + FRAME_END


def opened(packet: bytes, session: int) -> Packet | None:
    """What a packet says, or None where it is damaged, or of another session."""
    if len(packet) < _PACKET_HEAD.size + _CRC_WORD.size:
        return None
    body = packet[: -_CRC_WORD.size]
    if _CRC_WORD.pack(_crc(body, session)) != packet[-_CRC_WORD.size :]:
        return None
    kind, number = _PACKET_HEAD.unpack_from(body)
    return Packet(kind, number, body[_PACKET_HEAD.size :])


def line_size(fields: int) -> int:
    """Bytes on the line of a message with so many bytes of fields, at most."""
    packet = _PACKET_HEAD.size + fields + _CRC_WORD.size
    return packet + packet // _COBS_BLOCK + 1 + len(FRAME_END)


def follows(number: int, last: int) -> bool:
    """Whether a packet with this sequence number may come after one with the other."""
    return 0 < number - last <= MAX_SEQUENCE_STEP


def stuff(packet: bytes) -> bytes:
    """COBS: the packet without any 0."""
    out = bytearray()
    for piece in packet.split(FRAME_END):
        while len(piece) >= _COBS_BLOCK:
            out += b"\xff" + piece[:_COBS_BLOCK]
            piece = piece[_COBS_BLOCK:]
        out += bytes([len(piece) + 1]) + piece
    return bytes(out)


def unstuff(data: bytes) -> bytes | None:
    """The packet in what stood between two ENDs, or None where that is none."""
    out, at, zero = bytearray(), 0, False
    while at < len(data):
        if zero:
            out += FRAME_END
        reach = data[at]
        out += data[at + 1 : at + reach]
        at += reach
        zero = reach <= _COBS_BLOCK
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
        *whole, rest = self._buffer.split(FRAME_END)
        self._buffer = rest[: MAX_FRAME_BYTES + 1]  # what is too long already stays so until its FRAME_END
        return [
            packet for one in whole if 0 < len(one) <= MAX_FRAME_BYTES and (packet := unstuff(bytes(one))) is not None
        ]


def _crc(packet: bytes, session: int) -> int:
    return zlib.crc32(packet, zlib.crc32(_CRC_WORD.pack(session)))
