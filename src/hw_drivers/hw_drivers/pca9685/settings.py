"""What the robot file says of a PWM board and of a servo on it."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.parameters import parameter


@dataclass(frozen=True)
class Pca9685Settings:
    """Keys of `hardware.buses.<name>` with `kind: pca9685`. Two boards on one port are two buses."""

    port: str = parameter("/dev/i2c-1", constant=True, doc="the I2C bus")
    address: int = parameter(0x40, low=0x40, high=0x77, constant=True, doc="of the board, as its jumpers say")
    frequency: float = parameter(
        50.0, unit="Hz", low=24.0, high=400.0, constant=True, doc="pulses per second: 50 for analogue servos"
    )
    oscillator: float = parameter(
        25e6,
        unit="Hz",
        low=20e6,
        high=30e6,
        constant=True,
        doc="the board's own: 25e6 x the frequency measured / wanted",
    )


@dataclass(frozen=True)
class Pca9685Joint:
    """Keys of `hardware.joints.<name>` on such a board; `id` is the channel. The servo turns in a straight line between
    two angles whose pulses were measured."""

    low_us: float = parameter(500.0, unit="us", low=100.0, high=5000.0, constant=True, doc="pulse at low_deg")
    high_us: float = parameter(2500.0, unit="us", low=100.0, high=5000.0, constant=True, doc="pulse at high_deg")
    low_deg: float = parameter(-90.0, unit="degrees", low=-360.0, high=360.0, constant=True, doc="of the servo")
    high_deg: float = parameter(90.0, unit="degrees", low=-360.0, high=360.0, constant=True, doc="of the servo")
    trim_us: float = parameter(
        0.0, unit="us", low=-500.0, high=500.0, constant=True, doc="added to every pulse, for a horn that sits askew"
    )
    rest_deg: float = parameter(
        0.0, unit="degrees", low=-360.0, high=360.0, constant=True, doc="the joint's angle, taken for true at the start"
    )
