"""Messages of joint_states and joint_commands.

Successive messages differ only in their stamp and numbers. Once the middleware has deserialised one,
`JointMessageReader` unpacks the next of the same length, sender and joint names at the same byte offsets, in a
fraction of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from crawler_core.types import Observation
from crawler_nodes.messages.header import SECOND_NS, set_stamp, stamp_ns, to_double_array

ENCAPSULATION = b"\x00\x01\x00\x00"  # little-endian CDR; fields are aligned to the byte after it
STAMP_END = 12  # bytes of the encapsulation and the stamp


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


class JointStateWriter:
    """Fills joint_states: one message object, filled again on each tick."""

    def __init__(self, names: Sequence[str]) -> None:
        self.message = JointState(name=list(names))

    def fill(self, observation: Observation) -> JointState:
        message = self.message
        set_stamp(message.header.stamp, observation.time_ns)
        message.position = to_double_array(observation.position)
        message.velocity = to_double_array(observation.velocity)
        message.effort = to_double_array(observation.effort)
        return message


class _Layout:
    """The byte layout of one message, by which others of the same length, sender and joint names are read."""

    def __init__(self, data: bytes, message: JointMessage) -> None:
        self._sender, self._names = message.sender, message.name
        self._counts = counts = tuple(len(row) for row in (message.position, message.velocity, message.effort))
        at = STAMP_END - len(ENCAPSULATION)
        for text in (message.sender, None, *message.name):
            at = _aligned(at, 4) + 4 + (0 if text is None else len(text.encode()) + 1)
        self._constant = data[STAMP_END : len(ENCAPSULATION) + at]
        form = f"<4x iI {len(self._constant)}x"
        for count in counts:
            begin = at
            at = _aligned(at, 4)
            form += f" {at - begin}x I"
            begin, at = at + 4, _aligned(at + 4, 8) if count else at + 4
            form += f" {at - begin}x {count}d"
            at += 8 * count
        self._struct = Struct(form)
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


def _aligned(at: int, size: int) -> int:
    return -(-at // size) * size
