"""The parameters of the emulated backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crawler_core.parameters import parameter
from hw_drivers.backend.hardware_settings import NO_CALIBRATION, HardwareSettings
from hw_drivers.emulation.emulator import INJECTABLE_FAULTS


@dataclass(frozen=True)
class EmulatedSettings:
    """What the pretended motors shall be like. Which of them turns which joint stands in the robot file."""

    like: ClassVar[str] = "hardware"  # what a robot file wants of that backend holds here too

    calibration: str = parameter(
        NO_CALIBRATION, constant=True, doc="a calibration file, as for the robot; none: no file"
    )
    patience: float = parameter(
        0.1, unit="s", low=0.02, high=5.0, constant=True, doc="that a motor may stay silent until it is a fault"
    )
    fail: str = parameter("none", choices=INJECTABLE_FAULTS, constant=True, doc="a fault that the buses shall have")
    fail_after: float = parameter(1.0, unit="s", low=0.0, constant=True, doc="from open until they have it")
    fail_joint: str = parameter("", constant=True, doc="where; empty: everywhere")

    @property
    def hardware(self) -> HardwareSettings:
        """What the driver of the motors is told."""
        return HardwareSettings(calibration=self.calibration, patience=self.patience)
