"""ODrive as a kind of bus."""

from __future__ import annotations

from hw_drivers.bus import BusKind
from hw_drivers.odrive.driver import OdriveBus
from hw_drivers.odrive.settings import OdriveJoint, OdriveSettings

KIND = BusKind(OdriveSettings, OdriveJoint, OdriveBus, "hw_drivers.odrive.emulator:emulate", by_effort=True)
