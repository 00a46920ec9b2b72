"""What the robot file says of a Dynamixel bus and of a joint on it."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.parameters import parameter
from hw_drivers.dynamixel.tables import MODELS


@dataclass(frozen=True)
class DynamixelSettings:
    """Keys of `hardware.buses.<name>` with `kind: dynamixel`."""

    port: str = parameter("/dev/ttyUSB0", constant=True, doc="the serial port")
    baud: int = parameter(
        1_000_000, low=9600, high=4_500_000, constant=True, doc="bits per second, as set in the servos"
    )
    reply_timeout: float = parameter(
        0.01, unit="s", low=0.001, high=1.0, constant=True, doc="beyond the time on the wire until an answer is lost"
    )
    watchdog: float = parameter(
        0.2,
        unit="s",
        low=0.02,
        high=2.5,
        constant=True,
        doc="without a word from here until the servos stop by themselves",
    )


@dataclass(frozen=True)
class DynamixelJoint:
    """Keys of `hardware.joints.<name>` on such a bus."""

    model: str = parameter("", choices=tuple(MODELS), constant=True, doc="the servo's model")
    current_limit: float = parameter(
        0.0, unit="A", low=0.0, high=10.0, constant=True, doc="0: the model's most; only models that measure current"
    )
    temperature_limit: float = parameter(
        65.0,
        unit="°C",
        low=30.0,
        high=80.0,
        constant=True,
        doc="from here on it is a fault, before the servo's own limit",
    )
