"""Conversion between CANSimple's messages and CAN frames. Pure functions of bytes."""

from __future__ import annotations

from hw_drivers.bus.struct_message import BadMessage
from hw_drivers.odrive.messages import BROADCAST_NODE, COMMAND_BITS, MESSAGES, Message
from hw_drivers.ports.can_port import CanFrame

_COMMAND_MASK = (1 << COMMAND_BITS) - 1


def arbitration_id(node_id: int, command: int) -> int:
    """Return the id of `command` to or from `node_id`."""
    if not 0 <= node_id <= BROADCAST_NODE:
        raise ValueError(f"a node id lies between 0 and {BROADCAST_NODE}, not at {node_id}")
    return node_id << COMMAND_BITS | command


def split_id(frame_id: int) -> tuple[int, int]:
    """Return node id and command of an arbitration id."""
    return frame_id >> COMMAND_BITS, frame_id & _COMMAND_MASK


def encode(node_id: int, message: Message) -> CanFrame:
    return CanFrame(arbitration_id(node_id, message.command), message.pack())


def encode_query(node_id: int, kind: type[Message]) -> CanFrame:
    """Return the remote frame that makes a drive send its message of this kind."""
    return CanFrame(arbitration_id(node_id, kind.command), remote=True)


def decode(frame: CanFrame) -> tuple[int, Message]:
    """Return node id and message of a frame. Raises BadMessage for an unknown command or a wrong length."""
    node_id, command = split_id(frame.id)
    kind = MESSAGES.get(command)
    if node_id > BROADCAST_NODE or kind is None:
        raise BadMessage(f"the id 0x{frame.id:x} is none of CANSimple's")
    if frame.remote:
        raise BadMessage(f"{kind.__name__} of node {node_id} is asked for, and not sent")
    return node_id, kind.unpack(frame.data)
