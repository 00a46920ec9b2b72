"""Encoder and parser for the packets of Dynamixel protocol 2.0. Pure functions of bytes.

A packet is FF FF FD 00, id, length (2 bytes, little-endian, of all that follows), instruction, parameters, CRC-16.
An FD is stuffed in behind each FF FF FD after the length, so that a header never appears inside a packet.

The maker's SDK has a codec too, with three faults. It polls its port without rest, which takes the interpreter from
every other thread. Its sync read returns nothing of the other servos once one is silent. It drops the stuffed copy that
it makes, and sends unstuffed packets. The tests compare this codec with the SDK's parts, and let the SDK talk to the
emulator.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

HEADER = b"\xff\xff\xfd\x00"
STUFFING_TRIGGER = b"\xff\xff\xfd"
BROADCAST_ID = 0xFE
MAX_LENGTH_FIELD = 1024  # bytes; a larger value is noise

PING, READ, WRITE, REBOOT, STATUS, SYNC_READ, SYNC_WRITE = 0x01, 0x02, 0x03, 0x08, 0x55, 0x82, 0x83


def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        value = byte << 8
        for _ in range(8):
            value = (value << 1) ^ 0x8005 if value & 0x8000 else value << 1
        table.append(value & 0xFFFF)
    return tuple(table)


_CRC = _crc_table()


def crc16(data: bytes) -> int:
    """Return the CRC-16/BUYPASS: polynomial 0x8005, from 0, no reflection."""
    value = 0
    for byte in data:
        value = (value << 8 & 0xFFFF) ^ _CRC[(value >> 8) ^ byte]
    return value


@dataclass(frozen=True)
class Packet:
    """A packet's contents. Those of a status packet begin with its error byte."""

    id: int
    instruction: int
    data: bytes = b""

    @property
    def error(self) -> int:
        """Error code of the instruction (low 7 bits) and alert bit, of a status packet."""
        return self.data[0]

    @property
    def parameters(self) -> bytes:
        """Registers that were read, of a status packet."""
        return self.data[1:]


def encode(packet: Packet) -> bytes:
    """Return the bytes on the wire."""
    body = (bytes([packet.instruction]) + packet.data).replace(STUFFING_TRIGGER, STUFFING_TRIGGER + b"\xfd")
    head = HEADER + struct.pack("<BH", packet.id, len(body) + 2) + body
    return head + struct.pack("<H", crc16(head))


class PacketParser:
    """Finds packets in a stream of bytes, some of which are lost or damaged. `damaged` counts bad checksums."""

    def __init__(self) -> None:
        self.damaged = 0
        self._buffer = bytearray()

    def reset(self) -> None:
        """Drop incomplete packets: a new request makes them worthless."""
        self._buffer.clear()

    def feed(self, data: bytes) -> list[Packet]:
        """Return the packets that `data` completes."""
        self._buffer += data
        found: list[Packet] = []
        while (start := self._buffer.find(HEADER)) >= 0:
            del self._buffer[:start]
            if len(self._buffer) < 7:
                return found
            length = self._buffer[5] | self._buffer[6] << 8
            whole = 7 + length
            if not 3 <= length <= MAX_LENGTH_FIELD:
                del self._buffer[:1]
                continue
            if len(self._buffer) < whole:
                # stuffing keeps headers out of packets: with another one inside, the length is damaged
                if (following := self._buffer.find(HEADER, len(HEADER))) < 0:
                    return found
                self.damaged += 1
                del self._buffer[:following]
                continue
            packet = bytes(self._buffer[:whole])
            if crc16(packet[:-2]) != packet[-2] | packet[-1] << 8:
                self.damaged += 1
                del self._buffer[:1]  # a cut packet has swallowed its successor, whose header is inside
                continue
            del self._buffer[:whole]
            body = packet[7:-2].replace(STUFFING_TRIGGER + b"\xfd", STUFFING_TRIGGER)
            if packet[7] == STATUS and len(body) < 2:
                self.damaged += 1
                continue
            found.append(Packet(packet[4], body[0], body[1:]))
        del self._buffer[: max(0, len(self._buffer) - len(HEADER) + 1)]  # all but a possible start of a header
        return found


def ping(ident: int) -> Packet:
    """Make a request for the model number; BROADCAST_ID asks every servo."""
    return Packet(ident, PING)


def read(ident: int, address: int, size: int) -> Packet:
    """Make a request for `size` bytes from `address` on."""
    return Packet(ident, READ, struct.pack("<HH", address, size))


def write(ident: int, address: int, data: bytes) -> Packet:
    """Make a request to write `data` to `address`."""
    return Packet(ident, WRITE, struct.pack("<H", address) + data)


def reboot(ident: int) -> Packet:
    """Make a request to restart, as after power-on."""
    return Packet(ident, REBOOT)


def sync_read(idents: list[int], address: int, size: int) -> Packet:
    """Make a request for the same registers of several servos, which answer one after the other in this order."""
    return Packet(BROADCAST_ID, SYNC_READ, struct.pack("<HH", address, size) + bytes(idents))


def sync_write(address: int, values: dict[int, bytes]) -> Packet:
    """Make a write to the same register of several servos, without answers. All values have the same size."""
    (size,) = {len(value) for value in values.values()}
    data = b"".join(bytes([ident]) + value for ident, value in values.items())
    return Packet(BROADCAST_ID, SYNC_WRITE, struct.pack("<HH", address, size) + data)


def status(ident: int, error: int, parameters: bytes = b"") -> Packet:
    return Packet(ident, STATUS, bytes([error]) + parameters)
