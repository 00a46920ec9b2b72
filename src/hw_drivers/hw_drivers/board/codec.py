"""Encoder and parser for the packets and frames of docs/board_protocol.md. Pure functions of bytes."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from hw_drivers.board.messages import ANSWER_TYPES, Answer, Request
from hw_drivers.bus.struct_message import BadMessage

FRAME_END = b"\x00"
MAX_FRAME_BYTES = 319  # between two FRAME_ENDs: more is no frame
NO_SESSION = 0
MAX_SEQUENCE_STEP = 1000  # from one accepted sequence number to the next
_COBS_BLOCK = 254  # bytes of a COBS block without a 0
_PACKET_HEAD = struct.Struct("<BI")
_CRC_WORD = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet with a correct CRC."""

    type: int
    number: int  # of its sender
    fields: bytes

    def answer(self) -> Answer:
        """Return the message of a board. Raises BadMessage."""
        kind = ANSWER_TYPES.get(self.type)
        if kind is None:
            raise BadMessage(f"0x{self.type:02x} is no message of a board")
        return kind.unpack(self.fields)


def frame(message: Request, number: int, session: int = NO_SESSION) -> bytes:
    """Return the bytes on the line."""
    packet = _PACKET_HEAD.pack(message.type, number) + message.pack()
    return stuff(packet + _CRC_WORD.pack(_crc(packet, session))) + FRAME_END


def open_packet(packet: bytes, session: int) -> Packet | None:
    """Check a packet; return None where it is damaged, or of another session."""
    if len(packet) < _PACKET_HEAD.size + _CRC_WORD.size:
        return None
    body = packet[: -_CRC_WORD.size]
    if _CRC_WORD.pack(_crc(body, session)) != packet[-_CRC_WORD.size :]:
        return None
    kind, number = _PACKET_HEAD.unpack_from(body)
    return Packet(kind, number, body[_PACKET_HEAD.size :])


def line_size(fields: int) -> int:
    """Return the maximum number of bytes on the line for `fields` bytes of fields."""
    packet = _PACKET_HEAD.size + fields + _CRC_WORD.size
    return packet + packet // _COBS_BLOCK + 1 + len(FRAME_END)


def follows(number: int, last: int) -> bool:
    """Return True if sequence number `number` may come after `last`."""
    return 0 < number - last <= MAX_SEQUENCE_STEP


def stuff(packet: bytes) -> bytes:
    """Encode a packet by COBS: the result contains no 0."""
    out = bytearray()
    for piece in packet.split(FRAME_END):
        while len(piece) >= _COBS_BLOCK:
            out += b"\xff" + piece[:_COBS_BLOCK]
            piece = piece[_COBS_BLOCK:]
        out += bytes([len(piece) + 1]) + piece
    return bytes(out)


def unstuff(data: bytes) -> bytes | None:
    """Decode the bytes between two FRAME_ENDs; return None where they are no packet."""
    out, at, zero = bytearray(), 0, False
    while at < len(data):
        if zero:
            out += FRAME_END
        reach = data[at]
        out += data[at + 1 : at + reach]
        at += reach
        zero = reach <= _COBS_BLOCK
    return bytes(out) if at == len(data) else None


class PacketParser:
    """Finds packets in a stream of bytes, some of which are lost or damaged."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def reset(self) -> None:
        """Drop an incomplete packet."""
        self._buffer.clear()

    def feed(self, data: bytes) -> list[bytes]:
        """Return the packets that `data` completes, unchecked."""
        self._buffer += data
        *whole, rest = self._buffer.split(FRAME_END)
        self._buffer = rest[: MAX_FRAME_BYTES + 1]  # one byte too many marks it as too long until its FRAME_END
        return [
            packet for one in whole if 0 < len(one) <= MAX_FRAME_BYTES and (packet := unstuff(bytes(one))) is not None
        ]


def _crc(packet: bytes, session: int) -> int:
    return zlib.crc32(packet, zlib.crc32(_CRC_WORD.pack(session)))
