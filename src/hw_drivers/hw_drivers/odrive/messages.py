"""CANSimple's messages: numbers, field layouts and enumerations, as ODrive firmware 0.6 defines them.

An arbitration id of 11 bits is `node_id << 5 | command`. All fields are little-endian. A drive sends a `Get…`
message at a rate of its own, and as the answer to a remote frame of the same id.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from hw_drivers.bus.struct_message import StructMessage

COMMAND_BITS = 5
MAX_NODE_ID = 0x3E
BROADCAST_NODE = 0x3F  # also the address of a drive that has none yet


class AxisState(IntEnum):
    """The activity of an axis; calibrations and homing have other numbers."""

    UNDEFINED = 0
    IDLE = 1
    CLOSED_LOOP_CONTROL = 8


class ControlMode(IntEnum):
    TORQUE = 1
    VELOCITY = 2
    POSITION = 3


class InputMode(IntEnum):
    PASSTHROUGH = 1


class RebootAction(IntEnum):
    REBOOT = 0
    SAVE_CONFIGURATION = 1


@dataclass(frozen=True)
class Message(StructMessage):
    """A message of CANSimple, with its command number."""

    command: ClassVar[int]

    def __init_subclass__(cls, command: int, layout: str = "<") -> None:
        super().__init_subclass__(layout)
        cls.command = command


@dataclass(frozen=True)
class GetVersion(Message, command=0x00, layout="<8B"):
    protocol: int
    hardware_line: int
    hardware_version: int
    hardware_variant: int
    firmware_major: int
    firmware_minor: int
    firmware_revision: int
    firmware_unreleased: int


@dataclass(frozen=True)
class Heartbeat(Message, command=0x01, layout="<IBBBx"):
    axis_error: int  # active errors, and those that last disarmed the axis
    axis_state: int
    procedure_result: int
    trajectory_done: int


@dataclass(frozen=True)
class Estop(Message, command=0x02):
    """Take the torque off and latch that as an error."""


@dataclass(frozen=True)
class GetError(Message, command=0x03, layout="<II"):
    active_errors: int
    disarm_reason: int


@dataclass(frozen=True)
class Address(Message, command=0x06, layout="<B6sB"):
    node_id: int
    serial_number: bytes  # little-endian
    connection_id: int


@dataclass(frozen=True)
class SetAxisState(Message, command=0x07, layout="<I"):
    state: int


@dataclass(frozen=True)
class GetEncoderEstimates(Message, command=0x09, layout="<ff"):
    position: float  # turns
    velocity: float  # turns/s


@dataclass(frozen=True)
class SetControllerMode(Message, command=0x0B, layout="<II"):
    control_mode: int
    input_mode: int


@dataclass(frozen=True)
class SetInputPos(Message, command=0x0C, layout="<fhh"):
    position: float  # turns
    velocity_ff: int  # turns/s times the drive's input_vel_scale
    torque_ff: int  # N·m times the drive's input_torque_scale


@dataclass(frozen=True)
class SetInputVel(Message, command=0x0D, layout="<ff"):
    velocity: float  # turns/s
    torque_ff: float  # N·m


@dataclass(frozen=True)
class SetInputTorque(Message, command=0x0E, layout="<f"):
    torque: float  # N·m


@dataclass(frozen=True)
class SetLimits(Message, command=0x0F, layout="<ff"):
    velocity: float  # turns/s
    current: float  # A


@dataclass(frozen=True)
class GetIq(Message, command=0x14, layout="<ff"):
    setpoint: float  # A
    measured: float  # A


@dataclass(frozen=True)
class GetTemperature(Message, command=0x15, layout="<ff"):
    inverter: float  # degrees C
    motor: float  # degrees C; NaN or 0 without a thermistor


@dataclass(frozen=True)
class Reboot(Message, command=0x16, layout="<B"):
    action: int


@dataclass(frozen=True)
class GetBusVoltageCurrent(Message, command=0x17, layout="<ff"):
    voltage: float  # V
    current: float  # A


@dataclass(frozen=True)
class ClearErrors(Message, command=0x18, layout="<B"):
    identify: int  # 1: blink


MESSAGES = {kind.command: kind for kind in Message.__subclasses__()}
