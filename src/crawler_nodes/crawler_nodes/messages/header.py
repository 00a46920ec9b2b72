"""Stamps and senders in message headers, of messages and of their serialised bytes (little-endian CDR).

The sender of a message stands in its `frame_id`, because the middleware does not report it.
"""

from __future__ import annotations

import re
from array import array
from struct import Struct

from builtin_interfaces.msg import Time

from crawler_core.types import FloatArray

SECOND_NS = 1_000_000_000
ENCAPSULATION = b"\x00\x01\x00\x00"  # of little-endian CDR; fields are aligned to the byte after it
STAMP_START = len(ENCAPSULATION)  # bytes before the stamp of a serialised header
STAMP = Struct("<iI")  # seconds, nanoseconds
FRAME_ID_START = 16  # bytes of a serialised header before the text of its frame_id
_INSTANCE_ID = re.compile(rb"#[0-9a-f]{8}")


def stamp_ns(stamp: Time) -> int:
    """Return the nanoseconds of a message's stamp."""
    return stamp.sec * SECOND_NS + stamp.nanosec


def set_stamp(stamp: Time, time_ns: int) -> None:
    """Write nanoseconds into a message's stamp."""
    stamp.sec, stamp.nanosec = divmod(time_ns, SECOND_NS)


def serialize_clock(time_ns: int) -> bytes:
    """Return the bytes of a /clock message."""
    return ENCAPSULATION + STAMP.pack(*divmod(time_ns, SECOND_NS))


def to_double_array(values: FloatArray) -> array:
    """Return the array type of message fields, whose assignment skips the check of each element."""
    result = array("d")
    result.frombytes(values.tobytes())
    return result


def read_stamp_ns(data: bytes, at: int = STAMP_START) -> int:
    """Return the nanoseconds of the stamp that a serialised message begins with, or of the stamp at byte `at`."""
    seconds = int.from_bytes(data[at : at + 4], "little", signed=True)
    return seconds * SECOND_NS + int.from_bytes(data[at + 4 : at + 8], "little")


def read_stamp_s(data: bytes) -> float:
    """Return the seconds of the stamp that a serialised message begins with."""
    return int.from_bytes(data[4:8], "little", signed=True) + int.from_bytes(data[8:12], "little") * 1e-9


def read_sender(data: bytes) -> str:
    """Return the frame_id of a serialised message that begins with a header."""
    return data[FRAME_ID_START : _frame_id_end(data) - 1].decode(errors="replace")


def strip_instance_id(data: bytes) -> bytes:
    """Replace the random instance id in the frame_id, so that messages of two runs can be compared."""
    end = _frame_id_end(data)
    return data[:FRAME_ID_START] + _INSTANCE_ID.sub(b"#--------", data[FRAME_ID_START:end]) + data[end:]


def _frame_id_end(data: bytes) -> int:
    return FRAME_ID_START + int.from_bytes(data[FRAME_ID_START - 4 : FRAME_ID_START], "little")
