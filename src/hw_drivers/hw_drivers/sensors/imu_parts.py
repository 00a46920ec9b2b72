"""The registers of six-axis IMUs on I2C, from their makers' data sheets and drivers."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crawler_core.types import Vector

GRAVITY_M_S2 = 9.80665
DEGREE_RAD = math.pi / 180.0


@dataclass(frozen=True)
class ImuRange:
    """A range that a part can be set to."""

    limit: float  # rad/s or m/s²
    bits: int  # of its control register
    scale: float  # rad/s or m/s² of a count


@dataclass(frozen=True)
class ImuPart:
    """One part. A sample is one burst of registers."""

    model: str
    addresses: Sequence[int]
    identity_register: int  # WHO_AM_I
    identities: Mapping[int, str]  # by the value of that register
    reset: tuple[int, int, float] | None  # register, value, and the time (s) that it takes
    settings: Sequence[tuple[int, int]]  # register, value
    gyro_register: int
    gyro_value: int  # beside the bits of the range
    gyro_ranges: Sequence[ImuRange]  # growing
    accel_register: int
    accel_value: int
    accel_ranges: Sequence[ImuRange]
    status_register: int
    ready: int  # bits of the status, all set where a sample is new
    sample_register: int
    sample_layout: str  # of module struct
    gyro_index: int  # in the unpacked sample
    accel_index: int

    @property
    def sample_bytes(self) -> int:
        return struct.calcsize(self.sample_layout)

    def counts(self, data: bytes) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Return the counts of the rates and of the specific force."""
        values = struct.unpack(self.sample_layout, data)
        a, b, c = values[self.gyro_index : self.gyro_index + 3]
        x, y, z = values[self.accel_index : self.accel_index + 3]
        return (a, b, c), (x, y, z)

    def pack(self, gyro: Sequence[int], accel: Sequence[int]) -> bytes:
        """Return the bytes of a sample."""
        values = [0] * (self.sample_bytes // 2)
        values[self.gyro_index : self.gyro_index + 3] = gyro
        values[self.accel_index : self.accel_index + 3] = accel
        return struct.pack(self.sample_layout, *values)


def choose_range(ranges: Sequence[ImuRange], wanted: float) -> ImuRange:
    """Return the smallest range that holds `wanted`, or the largest."""
    return next((one for one in ranges if one.limit >= wanted), ranges[-1])


def scaled(counts: tuple[int, int, int], scale: float) -> Vector:
    x, y, z = counts
    return scale * x, scale * y, scale * z


def _gyro(bits: int, millidegrees: float) -> ImuRange:
    # makers round the ranges down: 32767 counts are a little more
    return ImuRange(32767 * millidegrees * 1e-3 * DEGREE_RAD, bits, millidegrees * 1e-3 * DEGREE_RAD)


def _accel(bits: int, milligravities: float) -> ImuRange:
    return ImuRange(32767 * milligravities * 1e-3 * GRAVITY_M_S2, bits, milligravities * 1e-3 * GRAVITY_M_S2)


# ST: CTRL3_C with whole samples (BDU) and registers in a row (IF_INC), CTRL4_C with the gyroscope's low-pass; 1667 Hz
LSM6DSOX = ImuPart(
    model="LSM6DSOX",
    addresses=(0x6A, 0x6B),
    identity_register=0x0F,
    identities={0x6C: "LSM6DSO or LSM6DSOX"},
    reset=(0x12, 0x01, 0.001),
    settings=((0x12, 0x44), (0x13, 0x02)),
    gyro_register=0x11,
    gyro_value=0x80,
    gyro_ranges=(
        _gyro(0x02, 4.375),
        _gyro(0x00, 8.75),
        _gyro(0x04, 17.5),
        _gyro(0x08, 35.0),
        _gyro(0x0C, 70.0),
    ),
    accel_register=0x10,
    accel_value=0x80,
    accel_ranges=(_accel(0x00, 0.061), _accel(0x08, 0.122), _accel(0x0C, 0.244), _accel(0x04, 0.488)),
    status_register=0x1E,
    ready=0x03,
    sample_register=0x22,
    sample_layout="<6h",
    gyro_index=0,
    accel_index=3,
)

# InvenSense: clock of the gyroscope (PWR_MGMT_1), 1 kHz (SMPLRT_DIV), low-pass of 184 Hz (CONFIG), data ready
# (INT_ENABLE)
MPU6050 = ImuPart(
    model="MPU-6050",
    addresses=(0x68, 0x69),
    identity_register=0x75,
    identities={0x68: "MPU-6050", 0x70: "MPU-6500", 0x71: "MPU-9250"},
    reset=(0x6B, 0x80, 0.1),
    settings=((0x6B, 0x01), (0x19, 0x00), (0x1A, 0x01), (0x38, 0x01)),
    gyro_register=0x1B,
    gyro_value=0x00,
    gyro_ranges=tuple(_gyro(i << 3, 1e3 / (131.072 / (1 << i))) for i in range(4)),
    accel_register=0x1C,
    accel_value=0x00,
    accel_ranges=tuple(_accel(i << 3, 1e3 / (16384 >> i)) for i in range(4)),
    status_register=0x3A,
    ready=0x01,
    sample_register=0x3B,
    sample_layout=">7h",  # specific force, temperature, rates
    gyro_index=4,
    accel_index=0,
)

IMU_PARTS: Mapping[str, ImuPart] = {"lsm6dsox": LSM6DSOX, "mpu6050": MPU6050}
