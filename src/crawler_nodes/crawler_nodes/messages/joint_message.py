"""Messages of joint_states and joint_commands.

Successive messages differ only in their stamp and numbers. Once the middleware has deserialised one,
`JointMessageReader` unpacks the next at the same byte offsets, if length, sender and joint names are the same. That
takes a fraction of the time. `JointMessageWriter` makes the bytes of sender and names once.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from crawler_nodes.messages.header import ENCAPSULATION, SECOND_NS, STAMP, stamp_ns

COUNT = Struct("<I")
STAMP_END = len(ENCAPSULATION) + STAMP.size  # bytes


class JointMessage(NamedTuple):
    """The content of a JointState."""

    sender: str  # its frame_id, which the nodes of a stack use for their instance names
    stamp: int  # ns
    name: list[str]
    position: Sequence[float]
    velocity: Sequence[float]
    effort: Sequence[float]

    @staticmethod
    def of(message: JointState) -> JointMessage:
        """Copy a message of the middleware."""
        rows = (tuple(row) for row in (message.position, message.velocity, message.effort))
        return JointMessage(message.header.frame_id, stamp_ns(message.header.stamp), list(message.name), *rows)


class JointMessageReader:
    """Deserialises the JointStates of one topic. Raises what the middleware raises for bytes that are none."""

    def __init__(self) -> None:
        self._layout: _Layout | None = None

    def __call__(self, data: bytes) -> JointMessage:
        layout = self._layout
        if layout is not None and (known := layout.read(data)) is not None:
            return known
        message = JointMessage.of(deserialize_message(data, JointState))
        layout = _Layout(data, message)
        if layout.reproduces(data, message):
            self._layout = layout
        return message


class JointMessageWriter:
    """Serialises the JointStates of one topic: the bytes of sender and names are made once."""

    def __init__(self, names: Sequence[str], sender: str = "") -> None:
        self._names = names
        self.set_sender(sender)

    def set_sender(self, sender: str) -> None:
        """Set the frame_id of the next messages."""
        self._sender = sender
        self._counts: tuple[int, int, int] | None = None

    def fill(
        self, time_ns: int, position: Sequence[float], velocity: Sequence[float], effort: Sequence[float]
    ) -> bytes:
        """Return the message of a time; each row may be empty."""
        counts = (len(position), len(velocity), len(effort))
        if counts != self._counts:
            self._prepare(counts)
        stamp = STAMP.pack(*divmod(time_ns, SECOND_NS))
        rows = self._rows.pack(counts[0], *position, counts[1], *velocity, counts[2], *effort)
        return b"".join((ENCAPSULATION, stamp, self._constant, rows))

    def _prepare(self, counts: tuple[int, int, int]) -> None:
        data = bytearray(STAMP.size)
        append_text(data, self._sender)
        append_count(data, len(self._names))
        for name in self._names:
            append_text(data, name)
        self._counts, self._constant = counts, bytes(data[STAMP.size :])
        self._rows = Struct("<" + _row_format(len(data), counts))


class _Layout:
    """The byte layout of one message, by which others of the same length, sender and joint names are read."""

    def __init__(self, data: bytes, message: JointMessage) -> None:
        self._sender, self._names = message.sender, message.name
        self._counts = counts = tuple(len(row) for row in (message.position, message.velocity, message.effort))
        at = STAMP.size
        for text in (message.sender, None, *message.name):
            at = _aligned(at, 4) + 4 + (0 if text is None else len(text.encode()) + 1)
        self._constant = data[STAMP_END : len(ENCAPSULATION) + at]
        self._struct = Struct(f"<4x iI {len(self._constant)}x {_row_format(at, counts)}")
        self._length = len(data)
        # each row of numbers follows its count: the indices of the second and the third count
        self._second, self._third = 1 + counts[0], 2 + counts[0] + counts[1]

    def read(self, data: bytes) -> JointMessage | None:
        """Unpack a message; None where its layout is another."""
        if len(data) != self._length or not (
            data.startswith(ENCAPSULATION) and data.startswith(self._constant, STAMP_END)
        ):
            return None
        sec, nanosec, *rest = self._struct.unpack_from(data)
        second, third = self._second, self._third
        if (rest[0], rest[second], rest[third]) != self._counts:
            return None
        return JointMessage(
            self._sender,
            sec * SECOND_NS + nanosec,
            self._names,
            rest[1:second],
            rest[second + 1 : third],
            rest[third + 1 :],
        )

    def reproduces(self, data: bytes, message: JointMessage) -> bool:
        """Return whether unpacking the message that it was made from gives the same content, to the bit."""
        if self._struct.size > len(data) or (found := self.read(data)) is None:
            return False
        numbers = (repr([list(row) for row in one[3:]]) for one in (found, message))  # as text, NaN equals NaN
        return found[:3] == message[:3] and len(set(numbers)) == 1


def _row_format(at: int, counts: Sequence[int]) -> str:
    """Return the format of rows of doubles behind byte `at`, each behind its count."""
    form = ""
    for count in counts:
        before = -at % 4
        after = -(at + before + COUNT.size) % 8 if count else 0
        form += f"{before}xI{after}x{count}d"
        at += before + COUNT.size + after + 8 * count
    return form


def append_count(data: bytearray, count: int) -> None:
    """Append the count of a sequence to serialised fields, with the bytes that align it."""
    data.extend(bytes(-len(data) % 4) + COUNT.pack(count))


def append_text(data: bytearray, text: str) -> None:
    """Append a string to serialised fields, with the bytes that align it."""
    encoded = text.encode() + b"\0"
    append_count(data, len(encoded))
    data.extend(encoded)


def _aligned(at: int, size: int) -> int:
    return -(-at // size) * size
