"""The messages of docs/board_protocol.md: numbers, field layouts and enumerations, and their bytes.

Angles are whole numbers of `ANGLE_UNIT_RAD`. Velocities (rad/s) and torques (N·m) are those of the output shaft.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any, ClassVar, Self

from hw_drivers.bus.joint_map import TURN_RAD
from hw_drivers.bus.struct_message import BadMessage, StructMessage

PROTOCOL_VERSION = 2
OLDEST_PROTOCOL_VERSION = 1  # of boards that this program can use
SENSORS_SINCE_VERSION = 2
MAX_MOTORS = 16
MAX_INPUTS = 8  # analogue ones
MAX_SWITCHES = 8
ANGLE_UNIT_RAD = TURN_RAD / 2**20
ANGLE_WRAP = 2**32  # units
NO_VOLTAGE = 65535
NO_TEMPERATURE = -128
ANY_TEMPERATURE = 127  # °C, of a motor that is not limited by it


class Encoder(IntEnum):
    QUADRATURE = 0
    ABSOLUTE = 1


class MotorFlag(IntFlag):
    REVERSE_MOTOR = 0x0001
    REVERSE_ENCODER = 0x0002
    ON_OUTPUT = 0x0004
    LIMITED = 0x0008
    REGULATED = 0x0010


class MotorMode(IntEnum):
    OFF = 0
    TORQUE = 1
    VELOCITY = 2
    POSITION = 3


class Code(IntEnum):
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
    UNCONFIGURED = 0
    IDLE = 1
    ARMED = 2
    FAULT = 3


class MotorStatus(IntFlag):
    HOMED = 0x01
    SEARCHING = 0x02
    CUT = 0x04
    CLOSED = 0x08


class BoardFault(IntFlag):
    LINK_LOST = 0x0001
    ESTOP = 0x0002
    ESTOP_INPUT = 0x0004
    UNDER_VOLTAGE = 0x0008
    OVER_VOLTAGE = 0x0010
    LATE = 0x0020


class ImuState(IntEnum):
    NONE = 0
    RUNS = 1
    SILENT = 2
    OTHER_PART = 3


class SensorFlag(IntFlag):
    """Flags in CONFIGURE_SENSORS."""

    IMU = 0x01


class ImuFlag(IntFlag):
    """Flags of the sensors in STATE."""

    IMU_SAMPLE = 0x01
    IMU_SILENT = 0x02


class MotorFault(IntFlag):
    OVER_CURRENT = 0x0001
    HOT = 0x0002
    OVER_SPEED = 0x0004
    ENCODER = 0x0008
    INDEX_NOT_FOUND = 0x0010
    STALLED = 0x0020


@dataclass(frozen=True)
class Message(StructMessage):
    """A message of fixed layout, with its type."""

    type: ClassVar[int]

    def __init_subclass__(cls, type: int, layout: str = "<") -> None:
        super().__init_subclass__(layout)
        cls.type = type


@dataclass(frozen=True)
class Hello(Message, type=0x01, layout="<BI"):
    version: int
    nonce: int


@dataclass(frozen=True)
class ConfigureBoard(Message, type=0x02, layout="<HHff"):
    watchdog: int  # ms
    used: int  # bit 0 is motor 0
    lowest: float  # V
    highest: float  # V


@dataclass(frozen=True)
class ConfigureMotor(Message, type=0x03, layout="<BBHIffffffffiiibH"):
    motor: int
    encoder: int  # Encoder
    flags: int  # MotorFlag
    counts: int  # per turn of the shaft that the encoder sits on
    gear: float
    torque_constant: float  # N·m/A, of the motor
    resistance: float  # ohm
    current: float  # A, the limit
    torque: float  # N·m, the limit
    velocity: float  # rad/s, the limit
    stiffness: float  # N·m/rad
    damping: float  # N·m·s/rad
    index: int  # units, of the output shaft where the index is, or where count 0 begins
    lower: int  # units
    upper: int  # units
    hottest: int  # °C
    stall: int  # ms


@dataclass(frozen=True)
class Arm(Message, type=0x04):
    """Begin the torque."""


@dataclass(frozen=True)
class Disarm(Message, type=0x05):
    """End the torque."""


@dataclass(frozen=True)
class Reset(Message, type=0x06):
    """End the torque, and clear the latched faults."""


@dataclass(frozen=True)
class Estop(Message, type=0x07):
    """End the torque, and latch that as a fault."""


@dataclass(frozen=True)
class FindIndex(Message, type=0x08, layout="<Bfff"):
    motor: int
    velocity: float  # rad/s
    torque: float  # N·m
    turns: float  # of the output shaft, until the search fails


@dataclass(frozen=True)
class Reboot(Message, type=0x09):
    """Restart the board."""


@dataclass(frozen=True)
class ConfigureSensors(Message, type=0x0A, layout="<BBBHH"):
    flags: int = 0  # SensorFlag
    inputs: int = 0  # bit 0 is analogue input 0
    switches: int = 0  # bit 0 is switch 0
    angular_range: int = 0  # degrees/s, at least; 0: the largest
    linear_range: int = 0  # m/s², at least; 0: the largest


@dataclass(frozen=True)
class MotorSetpoint:
    """Setpoint of one motor. Values that its mode does not use are not sent."""

    mode: MotorMode
    torque: float = 0.0  # N·m
    velocity: float = 0.0  # rad/s
    angle: int = 0  # units

    def pack(self) -> bytes:
        if self.mode is MotorMode.OFF:
            return struct.pack("<B", self.mode)
        if self.mode is MotorMode.TORQUE:
            return struct.pack("<Bf", self.mode, self.torque)
        if self.mode is MotorMode.VELOCITY:
            return struct.pack("<Bff", self.mode, self.velocity, self.torque)
        return struct.pack("<Biff", self.mode, self.angle, self.velocity, self.torque)


@dataclass(frozen=True)
class Setpoints:
    type: ClassVar[int] = 0x10
    motors: Mapping[int, MotorSetpoint]

    def pack(self) -> bytes:
        used = sum(1 << number for number in self.motors)
        return struct.pack("<H", used) + b"".join(self.motors[number].pack() for number in sorted(self.motors))


@dataclass(frozen=True)
class Poll(Message, type=0x11):
    """Ask for STATE."""


@dataclass(frozen=True)
class Welcome(Message, type=0x81, layout="<B3BIIIBB12s"):
    version: int
    major: int  # of the firmware
    minor: int
    revision: int
    boot: int
    session: int  # 0: none
    nonce: int
    motors: int  # that it can have
    measures: int  # flags of its sensors
    name: bytes  # filled up with 0


@dataclass(frozen=True)
class Ack(Message, type=0x83, layout="<IBBB"):
    number: int  # of the frame that it answers
    of: int  # its type
    code: int  # Code
    detail: int


@dataclass(frozen=True)
class SensorSetup:
    """SENSORS: what a board has beside the motors, and the scales of its counts."""

    type: ClassVar[int] = 0x85
    layout: ClassVar[str] = "<IBBffBB8f"
    number: int  # of the frame that it answers
    imu: int  # ImuState
    identity: int  # the IMU's WHO_AM_I
    angular: float  # rad/s of a count
    linear: float  # m/s² of a count
    inputs: int  # analogue ones that it has
    switches: int  # that it has
    input_scales: tuple[float, ...]  # V of a count

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        size = struct.calcsize(cls.layout)
        if len(data) != size:
            raise BadMessage(f"Sensors has {len(data)} bytes of fields instead of {size}")
        number, imu, identity, angular, linear, inputs, switches, *scales = struct.unpack(cls.layout, data)
        return cls(number, imu, identity, angular, linear, inputs, switches, tuple(scales))


@dataclass(frozen=True)
class ImuSample:
    layout: ClassVar[str] = "<I6h"
    time: int  # us, of the board's clock
    angular: tuple[int, int, int]  # counts, in the part's axes
    linear: tuple[int, int, int]


@dataclass(frozen=True)
class SensorState:
    """The sensors' part of a STATE."""

    layout: ClassVar[str] = "<BBBB"
    MAX_BYTES: ClassVar[int] = 36
    flags: int  # ImuFlag
    switches: int  # measured ones: bit 0 is switch 0
    closed: int  # bit 0: switch 0 is closed
    imu: ImuSample | None
    inputs: Mapping[int, int]  # counts of the analogue inputs

    @classmethod
    def size(cls, *, has_imu: bool, inputs: int) -> int:
        """Return its number of bytes."""
        return struct.calcsize(cls.layout) + has_imu * struct.calcsize(ImuSample.layout) + 2 * inputs

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """Make it from its bytes. Raises BadMessage."""
        head = struct.calcsize(cls.layout)
        if len(data) < head:
            raise BadMessage(f"the sensors of State have {len(data)} bytes instead of at least {head}")
        flags, named, switches, closed = struct.unpack_from(cls.layout, data)
        numbers = [i for i in range(MAX_INPUTS) if named >> i & 1]
        has_imu = bool(flags & ImuFlag.IMU_SAMPLE)
        size = cls.size(has_imu=has_imu, inputs=len(numbers))
        if len(data) != size:
            raise BadMessage(f"the sensors of State have {len(data)} bytes instead of {size}")
        imu = None
        if has_imu:
            time, a, b, c, x, y, z = struct.unpack_from(ImuSample.layout, data, head)
            imu = ImuSample(time, (a, b, c), (x, y, z))
        counts = struct.unpack_from(f"<{len(numbers)}H", data, size - 2 * len(numbers))
        return cls(flags, switches, closed, imu, dict(zip(numbers, counts, strict=True)))


@dataclass(frozen=True)
class MotorState:
    layout: ClassVar[str] = "<iffbBH"
    angle: int  # units
    velocity: float  # rad/s
    current: float  # A
    temperature: int  # °C
    status: int  # MotorStatus
    faults: int  # MotorFault


@dataclass(frozen=True)
class StateMessage:
    type: ClassVar[int] = 0x84
    layout: ClassVar[str] = "<IIHBHHB"
    number: int  # of the last accepted frame
    time: int  # us, of the board's clock
    supply: int  # 10 mV
    state: int  # BoardState
    faults: int  # BoardFault
    ignored: int  # frames, modulo 256
    motors: Mapping[int, MotorState]
    sensors: SensorState | None = None  # None where none is configured

    @classmethod
    def size(cls, motors: int) -> int:
        """Return the number of bytes of its fields with so many motors in use."""
        return struct.calcsize(cls.layout) + motors * struct.calcsize(MotorState.layout)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """Make it from the bytes of its fields. Raises BadMessage."""
        head = cls.size(0)
        if len(data) < head:
            raise BadMessage(f"State has {len(data)} bytes instead of at least {head}")
        number, time, supply, state, used, faults, ignored = struct.unpack(cls.layout, data[:head])
        numbers = [motor for motor in range(MAX_MOTORS) if used >> motor & 1]
        end = cls.size(len(numbers))
        if len(data) < end:
            raise BadMessage(f"State has {len(data)} bytes instead of at least {end}")
        rows = struct.iter_unpack(MotorState.layout, data[head:end])
        motors = {motor: MotorState(*row) for motor, row in zip(numbers, rows, strict=True)}
        sensors = SensorState.unpack(data[end:]) if len(data) > end else None
        return cls(number, time, supply, state, faults, ignored, motors, sensors)


Request = Message | Setpoints
Answer = Welcome | Ack | StateMessage | SensorSetup
ANSWER_TYPES: Mapping[int, Any] = {kind.type: kind for kind in (Welcome, Ack, StateMessage, SensorSetup)}
