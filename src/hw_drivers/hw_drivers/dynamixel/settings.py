"""The robot file's keys for a Dynamixel bus and a joint on it."""

from __future__ import annotations

from dataclasses import dataclass

from hw_drivers.bus.setting import setting
from hw_drivers.dynamixel.tables import MODELS


@dataclass(frozen=True)
class DynamixelSettings:
    """Keys of `hardware.buses.<name>` with `kind: dynamixel`."""

    port: str = setting("/dev/ttyUSB0", doc="the serial port")
    baud: int = setting(1_000_000, lower=9600, upper=4_500_000, doc="bits per second, as set in the servos")
    reply_timeout: float = setting(
        0.01, unit="s", lower=0.001, upper=1.0, doc="beyond the time on the wire, until an answer is lost"
    )
    watchdog: float = setting(
        0.2, unit="s", lower=0.02, upper=2.5, doc="without a packet until the servos stop by themselves"
    )


@dataclass(frozen=True)
class DynamixelJoint:
    """Keys of `hardware.joints.<name>` on such a bus."""

    model: str = setting("", choices=tuple(MODELS), doc="the servo's model")
    current_limit: float = setting(
        0.0, unit="A", lower=0.0, upper=10.0, doc="0: the model's maximum; only models that measure current"
    )
    temperature_limit: float = setting(
        65.0, unit="°C", lower=30.0, upper=80.0, doc="a fault from here on, before the servo's own limit"
    )
