"""The robot file's keys for a PWM board and a servo on it."""

from __future__ import annotations

from dataclasses import dataclass

from hw_drivers.bus.setting import setting


@dataclass(frozen=True)
class Pca9685Settings:
    """Keys of `hardware.buses.<name>` with `kind: pca9685`. Two boards on one port are two buses."""

    port: str = setting("/dev/i2c-1", doc="the I2C bus")
    address: int = setting(0x40, lower=0x40, upper=0x77, doc="of the board, as its jumpers say")
    frequency: float = setting(
        50.0, unit="Hz", lower=24.0, upper=400.0, doc="pulses per second: 50 for analogue servos"
    )
    oscillator: float = setting(
        25e6, unit="Hz", lower=20e6, upper=30e6, doc="the board's own: 25e6 x the frequency measured / wanted"
    )


@dataclass(frozen=True)
class Pca9685Joint:
    """Keys of `hardware.joints.<name>` on such a board; `id` is the channel.

    Two measured pulses and their angles define the servo's straight line.
    """

    low_us: float = setting(500.0, unit="us", lower=100.0, upper=5000.0, doc="pulse at low_deg")
    high_us: float = setting(2500.0, unit="us", lower=100.0, upper=5000.0, doc="pulse at high_deg")
    low_deg: float = setting(-90.0, unit="degrees", lower=-360.0, upper=360.0, doc="of the servo")
    high_deg: float = setting(90.0, unit="degrees", lower=-360.0, upper=360.0, doc="of the servo")
    trim_us: float = setting(
        0.0, unit="us", lower=-500.0, upper=500.0, doc="added to every pulse, for a horn that sits askew"
    )
    rest_deg: float = setting(
        0.0, unit="degrees", lower=-360.0, upper=360.0, doc="the joint's assumed angle at the start"
    )
