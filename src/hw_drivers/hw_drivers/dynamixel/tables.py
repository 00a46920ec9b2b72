"""The control table of the X series and its models: addresses and units, nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from hw_drivers.bus.error_table import ErrorTable


@dataclass(frozen=True)
class Register:
    """The place of a value. Registers below RAM_START survive power-off and are writable with the torque off only."""

    address: int
    size: int  # bytes
    signed: bool = False

    def pack(self, value: int) -> bytes:
        return value.to_bytes(self.size, "little", signed=self.signed)

    def unpack(self, data: bytes) -> int:
        return int.from_bytes(data[: self.size], "little", signed=self.signed)


MAX_ID = 252
RAM_START = 64  # the first address that power-on resets
TABLE_END = 260

MODEL_NUMBER = Register(0, 2)
FIRMWARE = Register(6, 1)
ID = Register(7, 1)
BAUD = Register(8, 1)
RETURN_DELAY = Register(9, 1)  # 2 us
OPERATING_MODE = Register(11, 1)
TEMPERATURE_LIMIT = Register(31, 1)  # °C
CURRENT_LIMIT = Register(38, 2)
VELOCITY_LIMIT = Register(44, 4)
MAX_POSITION = Register(48, 4)
MIN_POSITION = Register(52, 4)
SHUTDOWN = Register(63, 1)  # which hardware errors take the torque off
TORQUE = Register(64, 1)
STATUS_LEVEL = Register(68, 1)  # 2: every instruction is answered
HARDWARE_ERROR = Register(70, 1)
WATCHDOG = Register(98, 1)  # 20 ms; 255: it has expired
GOAL_CURRENT = Register(102, 2, signed=True)
PROFILE_ACCELERATION = Register(108, 4)
PROFILE_VELOCITY = Register(112, 4)
GOAL_POSITION = Register(116, 4, signed=True)
REALTIME_TICK = Register(120, 2)  # ms since power-on
PRESENT_CURRENT = Register(126, 2, signed=True)
PRESENT_VELOCITY = Register(128, 4, signed=True)  # 0.229/min
PRESENT_POSITION = Register(132, 4, signed=True)
PRESENT_VOLTAGE = Register(144, 2)  # 0.1 V
PRESENT_TEMPERATURE = Register(146, 1)  # °C
INDIRECT_ADDRESS = 168  # of the first; each is 2 bytes

TICKS_PER_TURN = 4096  # per turn
RAD_PER_TICK = 2.0 * math.pi / TICKS_PER_TURN  # rad
VELOCITY_UNIT_RAD_S = 0.229 * 2.0 * math.pi / 60.0  # rad/s
VOLTAGE_UNIT_V = 0.1  # V
WATCHDOG_UNIT_S = 0.02  # s
WATCHDOG_EXPIRED = 255
RETURN_DELAY_UNIT_S = 2e-6  # s
REALTIME_UNIT_S = 1e-3  # s
REALTIME_WRAP_TICKS = 32768  # ticks
MAX_TURNS = 256  # in each direction, in the modes that count turns

# the low halves, which say enough: of rates that no servo exceeds, and of a goal that is compared with the sent one
PRESENT_VELOCITY_LOW = Register(128, 2, signed=True)
GOAL_POSITION_LOW = Register(116, 2)
GOAL_POSITION_LOW_RANGE = 1 << 16

# the registers of one sync read, gathered by indirect addressing, 20 bytes at most: the id reveals a servo that has
# restarted since, the tick and the goal an old answer, the goal also a lost or an old command
CYCLE_REGISTERS = (
    PRESENT_POSITION,
    PRESENT_VELOCITY_LOW,
    GOAL_POSITION_LOW,
    PRESENT_CURRENT,
    PRESENT_VOLTAGE,
    PRESENT_TEMPERATURE,
    HARDWARE_ERROR,
    TORQUE,
    WATCHDOG,
    REALTIME_TICK,
    ID,
)
CYCLE_BYTES = sum(register.size for register in CYCLE_REGISTERS)

POSITION_MODE, EXTENDED_MODE, CURRENT_POSITION_MODE = 3, 4, 5  # within a turn; over many; the same with limited current

OVERHEATING = 0x04
HARDWARE_ERRORS = ErrorTable(
    {
        0x01: ("input voltage out of range", "check the supply's voltage under load"),
        OVERHEATING: ("overheating", "let it cool down and lighten its load"),
        0x08: ("encoder fault", "replace the servo"),
        0x10: ("electrical shock or too little power", "check the supply's current and the cable"),
        0x20: ("overload", "free what blocks it, or lighten its load"),
    },
    unknown_remedy="read the maker's manual",
)
ALERT = 0x80  # in the error byte of a status packet: the hardware error register is not 0
INSTRUCTION_ERRORS: Mapping[int, str] = {
    1: "the instruction failed",
    2: "the instruction is unknown to it",
    3: "the instruction came damaged",
    4: "the value is out of its range",
    5: "the value has the wrong size",
    6: "the value is beyond its limits",
    7: "the register cannot be written now",
}
RESULT_FAIL, INSTRUCTION_ERROR, CRC_ERROR, RANGE_ERROR, LENGTH_ERROR, LIMIT_ERROR, ACCESS_ERROR = range(1, 8)

BAUD_RATES = (57600, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 115200, 9600)  # likeliest first


@dataclass(frozen=True)
class ServoModel:
    """One model, from its maker's data sheet."""

    number: int
    current_unit: float  # A; 0: it measures and limits no current
    max_current: int  # the largest current limit, in units
    torque_constant: float  # N·m/A, stall torque over stall current: good to some ten per cent
    no_load: float  # rad/s at its nominal voltage
    voltage: tuple[float, float]  # V, allowed
    indirect_data: int  # address of the first byte


MODELS: Mapping[str, ServoModel] = {
    "XL330-M077": ServoModel(1190, 1e-3, 1750, 0.146, 40.1, (3.7, 6.0), 208),
    "XL330-M288": ServoModel(1200, 1e-3, 1750, 0.354, 10.9, (3.7, 6.0), 208),
    "XL430-W250": ServoModel(1060, 0.0, 0, math.nan, 6.39, (6.5, 12.0), 224),
    "XM430-W210": ServoModel(1030, 2.69e-3, 1193, 1.30, 8.06, (10.0, 14.8), 224),
    "XM430-W350": ServoModel(1020, 2.69e-3, 1193, 1.78, 4.82, (10.0, 14.8), 224),
    "XM540-W270": ServoModel(1120, 2.69e-3, 2047, 2.41, 3.14, (10.0, 14.8), 224),
}
NAMES: Mapping[int, str] = {model.number: name for name, model in MODELS.items()}
