"""The parameters of the hardware backend."""

from __future__ import annotations

from dataclasses import dataclass

from hw_drivers.bus.setting import setting

NO_CALIBRATION = "none"


@dataclass(frozen=True)
class HardwareSettings:
    """Settings of a run on motors. The robot file's section `hardware` maps the joints to them."""

    port: str = setting("", doc="in place of the robot file's, for a robot with one bus")
    calibration: str = setting(
        "", doc="the calibration file; empty: the robot's in ~/.config/crawler, where there is one; none: no file"
    )
    patience: float = setting(
        0.1, unit="s", lower=0.02, upper=5.0, doc="without an answer from a motor until it is a fault"
    )
