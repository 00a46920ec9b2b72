"""The parameters of the emulated backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hw_drivers.backend.hardware_settings import NO_CALIBRATION, HardwareSettings
from hw_drivers.bus.setting import setting
from hw_drivers.emulation.disturbance import LINE_FAULTS, LINE_FAULTS_DOC
from hw_drivers.emulation.emulator import INJECTABLE_FAULTS
from hw_drivers.emulation.reading_fault import READING_FAULTS, READING_FAULTS_DOC

FAULTS = (*INJECTABLE_FAULTS, *LINE_FAULTS, *READING_FAULTS)


@dataclass(frozen=True)
class EmulatedSettings:
    """Settings of a run on emulated motors. The robot file's section `hardware` maps the joints to them."""

    like: ClassVar[str] = "hardware"  # the robot file's backends.hardware holds here too

    calibration: str = setting(NO_CALIBRATION, doc="a calibration file, as for the robot; none: no file")
    patience: float = setting(
        0.1, unit="s", lower=0.02, upper=5.0, doc="without an answer from a motor until it is a fault"
    )
    fail: str = setting(
        "none",
        choices=FAULTS,
        doc=f"a fault to inject; {LINE_FAULTS_DOC}; {READING_FAULTS_DOC}; the others are of the buses",
    )
    fail_after: float = setting(1.0, unit="s", lower=0.0, upper=1e7, doc="from open until the fault, of the run's time")
    fail_joint: str = setting("", doc="the joint of the fault; empty: all")

    @property
    def hardware(self) -> HardwareSettings:
        """The settings of the drivers."""
        return HardwareSettings(calibration=self.calibration, patience=self.patience)
