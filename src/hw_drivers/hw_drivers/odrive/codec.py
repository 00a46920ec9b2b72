"""Messages to CAN frames and back. Plain functions of bytes; no bus and no python-can."""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields

from hw_drivers.odrive.messages import BROADCAST, COMMAND_BITS, MESSAGES, Message

_COMMAND_MASK = (1 << COMMAND_BITS) - 1


@dataclass(frozen=True, slots=True)
class CanFrame:
    """A classic CAN frame with an 11-bit id; a remote frame asks for the message of its id."""

    id: int
    data: bytes = b""
    remote: bool = False


class BadFrame(ValueError):
    """A frame that is no CANSimple message; the text says why."""


def arbitration_id(node_id: int, command: int) -> int:
    """The id of `command` to or from `node_id`."""
    if not 0 <= node_id <= BROADCAST:
        raise ValueError(f"a node id lies between 0 and {BROADCAST}, not at {node_id}")
    return node_id << COMMAND_BITS | command


def split_id(frame_id: int) -> tuple[int, int]:
    """Node id and command of an arbitration id."""
    return frame_id >> COMMAND_BITS, frame_id & _COMMAND_MASK


def encode(node_id: int, message: Message) -> CanFrame:
    """The frame that carries `message`."""
    values = [getattr(message, field.name) for field in fields(message)]
    return CanFrame(arbitration_id(node_id, message.command), struct.pack(message.layout, *values))


def ask(node_id: int, kind: type[Message]) -> CanFrame:
    """The remote frame that makes a drive send its message of this kind."""
    return CanFrame(arbitration_id(node_id, kind.command), remote=True)


def decode(frame: CanFrame) -> tuple[int, Message]:
    """Node id and message of a frame. Raises BadFrame for an unknown command or a wrong length."""
    node_id, command = split_id(frame.id)
    kind = MESSAGES.get(command)
    if node_id > BROADCAST or kind is None:
        raise BadFrame(f"the id 0x{frame.id:x} is none of CANSimple's")
    size = struct.calcsize(kind.layout)
    if frame.remote or len(frame.data) != size:
        raise BadFrame(f"{kind.__name__} of node {node_id} has {len(frame.data)} bytes of data instead of {size}")
    return node_id, kind(*struct.unpack(kind.layout, frame.data))
