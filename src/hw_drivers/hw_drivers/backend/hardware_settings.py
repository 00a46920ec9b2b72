"""The parameters of the hardware backend."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.parameters import parameter

NO_CALIBRATION = "none"


@dataclass(frozen=True)
class HardwareSettings:
    """How to reach the motors. Which motor turns which joint stands in the robot file, section hardware."""

    port: str = parameter("", constant=True, doc="in place of the robot file's, for a robot with one bus")
    calibration: str = parameter(
        "",
        constant=True,
        doc="the calibration file; empty: the robot's in ~/.config/crawler, where there is one; none: no file",
    )
    patience: float = parameter(
        0.1, unit="s", low=0.02, high=5.0, constant=True, doc="that a motor may stay silent until it is a fault"
    )
