"""CANSimple's messages: numbers, field layouts and enumerations, as ODrive firmware 0.6 defines them. No logic.

An arbitration id of 11 bits is `node_id << 5 | command`. All fields are little-endian. A `Get…` message is sent by the
drive at a rate of its own, and as an answer to a remote frame of the same id.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

COMMAND_BITS = 5
MAX_NODE_ID = 0x3E  # 0x3F is the broadcast, and the address of a drive that has none yet
BROADCAST = 0x3F


class AxisState(IntEnum):
    """What an axis does; calibrations and homing lie between and beyond."""

    UNDEFINED = 0
    IDLE = 1
    CLOSED_LOOP_CONTROL = 8


class ControlMode(IntEnum):
    """What the drive's controller regulates."""

    TORQUE = 1
    VELOCITY = 2
    POSITION = 3


class InputMode(IntEnum):
    """How the drive shapes a setpoint on its way to the controller."""

    PASSTHROUGH = 1


class RebootAction(IntEnum):
    """What a reboot message makes the drive do."""

    REBOOT = 0
    SAVE_CONFIGURATION = 1


@dataclass(frozen=True, slots=True)
class GetVersion:
    command: ClassVar[int] = 0x00
    layout: ClassVar[str] = "<8B"
    protocol: int
    hardware_line: int
    hardware_version: int
    hardware_variant: int
    firmware_major: int
    firmware_minor: int
    firmware_revision: int
    firmware_unreleased: int


@dataclass(frozen=True, slots=True)
class Heartbeat:
    command: ClassVar[int] = 0x01
    layout: ClassVar[str] = "<IBBBx"
    axis_error: int  # active errors, and those that last disarmed the axis
    axis_state: int
    procedure_result: int
    trajectory_done: int


@dataclass(frozen=True, slots=True)
class Estop:
    command: ClassVar[int] = 0x02
    layout: ClassVar[str] = "<"


@dataclass(frozen=True, slots=True)
class GetError:
    command: ClassVar[int] = 0x03
    layout: ClassVar[str] = "<II"
    active_errors: int
    disarm_reason: int


@dataclass(frozen=True, slots=True)
class Address:
    command: ClassVar[int] = 0x06
    layout: ClassVar[str] = "<B6sB"
    node_id: int
    serial_number: bytes  # little-endian
    connection_id: int


@dataclass(frozen=True, slots=True)
class SetAxisState:
    command: ClassVar[int] = 0x07
    layout: ClassVar[str] = "<I"
    state: int


@dataclass(frozen=True, slots=True)
class GetEncoderEstimates:
    command: ClassVar[int] = 0x09
    layout: ClassVar[str] = "<ff"
    position: float  # turns
    velocity: float  # turns/s


@dataclass(frozen=True, slots=True)
class SetControllerMode:
    command: ClassVar[int] = 0x0B
    layout: ClassVar[str] = "<II"
    control_mode: int
    input_mode: int


@dataclass(frozen=True, slots=True)
class SetInputPos:
    command: ClassVar[int] = 0x0C
    layout: ClassVar[str] = "<fhh"
    position: float  # turns
    velocity_ff: int  # turns/s times the drive's input_vel_scale
    torque_ff: int  # N·m times the drive's input_torque_scale


@dataclass(frozen=True, slots=True)
class SetInputVel:
    command: ClassVar[int] = 0x0D
    layout: ClassVar[str] = "<ff"
    velocity: float  # turns/s
    torque_ff: float  # N·m


@dataclass(frozen=True, slots=True)
class SetInputTorque:
    command: ClassVar[int] = 0x0E
    layout: ClassVar[str] = "<f"
    torque: float  # N·m


@dataclass(frozen=True, slots=True)
class SetLimits:
    command: ClassVar[int] = 0x0F
    layout: ClassVar[str] = "<ff"
    velocity: float  # turns/s
    current: float  # A


@dataclass(frozen=True, slots=True)
class GetIq:
    command: ClassVar[int] = 0x14
    layout: ClassVar[str] = "<ff"
    setpoint: float  # A
    measured: float  # A


@dataclass(frozen=True, slots=True)
class GetTemperature:
    command: ClassVar[int] = 0x15
    layout: ClassVar[str] = "<ff"
    inverter: float  # degrees C
    motor: float  # degrees C; NaN or 0 without a thermistor


@dataclass(frozen=True, slots=True)
class Reboot:
    command: ClassVar[int] = 0x16
    layout: ClassVar[str] = "<B"
    action: int


@dataclass(frozen=True, slots=True)
class GetBusVoltageCurrent:
    command: ClassVar[int] = 0x17
    layout: ClassVar[str] = "<ff"
    voltage: float  # V
    current: float  # A


@dataclass(frozen=True, slots=True)
class ClearErrors:
    command: ClassVar[int] = 0x18
    layout: ClassVar[str] = "<B"
    identify: int  # 1: blink


Message = (
    GetVersion
    | Heartbeat
    | Estop
    | GetError
    | Address
    | SetAxisState
    | GetEncoderEstimates
    | SetControllerMode
    | SetInputPos
    | SetInputVel
    | SetInputTorque
    | SetLimits
    | GetIq
    | GetTemperature
    | Reboot
    | GetBusVoltageCurrent
    | ClearErrors
)
MESSAGES: dict[int, type[Message]] = {kind.command: kind for kind in Message.__args__}
