"""The messages of docs/board_protocol.md: numbers, field layouts and enumerations. No logic but there and back.

Angles are whole numbers of `ANGLE_UNIT_RAD`; velocities (rad/s) and torques (N·m) are the output shaft's.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import IntEnum, IntFlag
from typing import Any, ClassVar, Self

PROTOCOL_VERSION = 1  # of the protocol
MAX_MOTORS = 16
ANGLE_UNIT_RAD = 2.0 * math.pi / 2**20  # rad, of an angle
ANGLE_WRAP = 2**32  # units after which an angle begins again
NO_VOLTAGE = 65535
NO_TEMPERATURE = -128
ANY_TEMPERATURE = 127  # °C, of a motor that is not limited by it


class Encoder(IntEnum):
    """Of CONFIGURE_MOTOR."""

    QUADRATURE = 0
    ABSOLUTE = 1


class MotorFlag(IntFlag):
    """Of CONFIGURE_MOTOR."""

    REVERSE_MOTOR = 0x0001
    REVERSE_ENCODER = 0x0002
    ON_OUTPUT = 0x0004
    LIMITED = 0x0008
    REGULATED = 0x0010


class MotorMode(IntEnum):
    """Of a motor's setpoint."""

    OFF = 0
    TORQUE = 1
    VELOCITY = 2
    POSITION = 3


class Code(IntEnum):
    """Of ACK."""

    OK = 0
    VERSION = 1
    UNKNOWN = 2
    LENGTH = 3
    VALUE = 4
    MOTOR = 5
    NOT_CONFIGURED = 6
    ARMED = 7
    FAULT = 8
    CAUSE = 9
    NOT_HOMED = 10
    NOT_ARMED = 11


class BoardState(IntEnum):
    """Of STATE."""

    UNCONFIGURED = 0
    IDLE = 1
    ARMED = 2
    FAULT = 3


class MotorStatus(IntFlag):
    """Of a motor in STATE."""

    HOMED = 0x01
    SEARCHING = 0x02
    CUT = 0x04
    CLOSED = 0x08


class BoardFault(IntFlag):
    """Of the board, in STATE."""

    LINK_LOST = 0x0001
    ESTOP = 0x0002
    ESTOP_INPUT = 0x0004
    UNDER_VOLTAGE = 0x0008
    OVER_VOLTAGE = 0x0010
    LATE = 0x0020


class MotorFault(IntFlag):
    """Of a motor, in STATE."""

    OVER_CURRENT = 0x0001
    HOT = 0x0002
    OVER_SPEED = 0x0004
    ENCODER = 0x0008
    INDEX_NOT_FOUND = 0x0010
    STALLED = 0x0020


class BadMessage(ValueError):
    """Bytes that are no such message; the text says why."""


@dataclass(frozen=True, slots=True)
class Message:
    """One whose fields stand one after the other, as `layout` says."""

    type: ClassVar[int]
    layout: ClassVar[str] = "<"

    def pack(self) -> bytes:
        """The bytes of its fields."""
        return struct.pack(self.layout, *(getattr(self, field.name) for field in fields(self)))

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """From the bytes of its fields. Raises BadMessage."""
        if len(data) != struct.calcsize(cls.layout):
            raise BadMessage(f"{cls.__name__} has {len(data)} bytes instead of {struct.calcsize(cls.layout)}")
        return cls(*struct.unpack(cls.layout, data))


@dataclass(frozen=True, slots=True)
class Hello(Message):
    type: ClassVar[int] = 0x01
    layout: ClassVar[str] = "<BI"
    version: int
    nonce: int


@dataclass(frozen=True, slots=True)
class ConfigureBoard(Message):
    type: ClassVar[int] = 0x02
    layout: ClassVar[str] = "<HHff"
    watchdog: int  # ms
    used: int  # bit 0 is motor 0
    lowest: float  # V
    highest: float  # V


@dataclass(frozen=True, slots=True)
class ConfigureMotor(Message):
    type: ClassVar[int] = 0x03
    layout: ClassVar[str] = "<BBHIffffffffiiibH"
    motor: int
    encoder: int  # Encoder
    flags: int  # MotorFlag
    counts: int  # per turn of the shaft that the encoder sits on
    gear: float
    torque_constant: float  # N·m/A, of the motor
    resistance: float  # ohm
    current: float  # A, the most
    torque: float  # N·m, the most
    velocity: float  # rad/s, the most
    stiffness: float  # N·m/rad
    damping: float  # N·m·s/rad
    index: int  # units, of the output shaft where the index is, or where count 0 begins
    lower: int  # units
    upper: int  # units
    hottest: int  # °C
    stall: int  # ms


@dataclass(frozen=True, slots=True)
class Arm(Message):
    type: ClassVar[int] = 0x04


@dataclass(frozen=True, slots=True)
class Disarm(Message):
    type: ClassVar[int] = 0x05


@dataclass(frozen=True, slots=True)
class Reset(Message):
    type: ClassVar[int] = 0x06


@dataclass(frozen=True, slots=True)
class Estop(Message):
    type: ClassVar[int] = 0x07


@dataclass(frozen=True, slots=True)
class FindIndex(Message):
    type: ClassVar[int] = 0x08
    layout: ClassVar[str] = "<Bfff"
    motor: int
    velocity: float  # rad/s
    torque: float  # N·m
    turns: float  # of the output shaft, until it has failed


@dataclass(frozen=True, slots=True)
class Reboot(Message):
    type: ClassVar[int] = 0x09


@dataclass(frozen=True, slots=True)
class MotorSetpoint:
    """Of one motor; what its mode does not have is not sent."""

    mode: MotorMode
    torque: float = 0.0  # N·m
    velocity: float = 0.0  # rad/s
    angle: int = 0  # units

    def pack(self) -> bytes:
        """Its bytes."""
        if self.mode is MotorMode.OFF:
            return struct.pack("<B", self.mode)
        if self.mode is MotorMode.TORQUE:
            return struct.pack("<Bf", self.mode, self.torque)
        if self.mode is MotorMode.VELOCITY:
            return struct.pack("<Bff", self.mode, self.velocity, self.torque)
        return struct.pack("<Biff", self.mode, self.angle, self.velocity, self.torque)


@dataclass(frozen=True, slots=True)
class Setpoints:
    """Of motors, by their numbers."""

    type: ClassVar[int] = 0x10
    motors: Mapping[int, MotorSetpoint]

    def pack(self) -> bytes:
        """The bytes of its fields."""
        whose = sum(1 << number for number in self.motors)
        return struct.pack("<H", whose) + b"".join(self.motors[number].pack() for number in sorted(self.motors))


@dataclass(frozen=True, slots=True)
class Poll(Message):
    type: ClassVar[int] = 0x11


@dataclass(frozen=True, slots=True)
class Welcome(Message):
    type: ClassVar[int] = 0x81
    layout: ClassVar[str] = "<B3BIIIBB12s"
    version: int
    major: int  # of the firmware
    minor: int
    revision: int
    boot: int
    session: int  # 0: none
    nonce: int
    motors: int  # that it can have
    measures: int  # flags of what it can
    name: bytes  # filled up with 0


@dataclass(frozen=True, slots=True)
class Ack(Message):
    type: ClassVar[int] = 0x83
    layout: ClassVar[str] = "<IBBB"
    number: int  # of the frame that it answers
    of: int  # its type
    code: int  # Code
    detail: int


@dataclass(frozen=True, slots=True)
class MotorState:
    """Of one motor in STATE."""

    layout: ClassVar[str] = "<iffbBH"
    angle: int  # units
    velocity: float  # rad/s
    current: float  # A
    temperature: int  # °C
    status: int  # MotorStatus
    faults: int  # MotorFault


@dataclass(frozen=True, slots=True)
class StateMessage:
    type: ClassVar[int] = 0x84
    layout: ClassVar[str] = "<IIHBHHB"
    number: int  # of the last frame that was taken
    time: int  # us, of the board's clock
    supply: int  # 10 mV
    state: int  # BoardState
    faults: int  # BoardFault
    ignored: int  # frames, modulo 256
    motors: Mapping[int, MotorState]

    @classmethod
    def size(cls, motors: int) -> int:
        """Bytes of its fields, with so many motors in use."""
        return struct.calcsize(cls.layout) + motors * struct.calcsize(MotorState.layout)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """From the bytes of its fields. Raises BadMessage."""
        head = cls.size(0)
        if len(data) < head:
            raise BadMessage(f"State has {len(data)} bytes instead of at least {head}")
        number, time, supply, state, used, faults, ignored = struct.unpack(cls.layout, data[:head])
        numbers = [motor for motor in range(MAX_MOTORS) if used >> motor & 1]
        if len(data) != cls.size(len(numbers)):
            raise BadMessage(f"State has {len(data)} bytes instead of {cls.size(len(numbers))}")
        rows = struct.iter_unpack(MotorState.layout, data[head:])
        motors = {motor: MotorState(*row) for motor, row in zip(numbers, rows, strict=True)}
        return cls(number, time, supply, state, faults, ignored, motors)


Answer = Welcome | Ack | StateMessage
ANSWER_TYPES: Mapping[int, type[Any]] = {kind.type: kind for kind in (Welcome, Ack, StateMessage)}
