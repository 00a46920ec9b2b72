"""The hardware backend on emulated buses, whose motors move the robot's equations."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import ClassVar

from crawler_core.errors import unknown_name
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Observation
from hw_drivers.backend.hardware_backend import HardwareBackend, configured_buses
from hw_drivers.emulation.emulated_settings import EmulatedSettings
from hw_drivers.emulation.emulation import Emulation


class EmulatedBackend(HardwareBackend):
    """The real drivers on emulated motors: the bytes in both directions are those of real ones.

    `emulation` holds the emulated buses while the backend is open.
    """

    kind: ClassVar[str] = "emulated"

    def __init__(self, spec: RobotSpec, settings: EmulatedSettings, dt: float) -> None:
        """Raises UserError where the robot file or the settings cannot be used; nothing is emulated yet."""
        if settings.fail_joint and settings.fail_joint not in spec.actuated_names:
            raise unknown_name("actuated joint", settings.fail_joint, spec.actuated_names)
        self._real_buses = configured_buses(spec, settings.hardware)
        super().__init__(spec, settings.hardware, dt, self._real_buses)
        self._settings = settings
        self.emulation: Emulation | None = None

    def open(self) -> None:
        """Emulate the buses, with every joint at home, and open the drivers on them. Raises UserError or BusFault."""
        self.emulation = Emulation(self._spec, self._real_buses)
        self._buses = tuple(self.emulation.connected(bus) for bus in self._real_buses)
        super().open()
        self._opened_at = time.monotonic()
        self._fault_is_due = self._settings.fail != "none"

    def observe(self) -> Observation:
        """Return the motors' last readings, with the base and the feet where the motors' true angles moved them."""
        self._inject_fault()
        seen = super().observe()
        if self.emulation is None:
            return seen
        base, contacts = self.emulation.observe_base()
        return replace(seen, base=base, contacts=contacts)

    def recover(self) -> None:
        """Clear the motors' errors, and stand a fallen robot up. Raises BusFault or BackendFault."""
        if self.emulation is not None:
            self.emulation.recover()
        super().recover()

    def close(self) -> None:
        """Release the ports and end the emulation. May be called twice."""
        super().close()
        if self.emulation is not None:
            self.emulation.close()
            self.emulation = None

    def _inject_fault(self) -> None:
        """Begin the fault of `settings.fail` once `settings.fail_after` has passed."""
        if self.emulation is None or not self._fault_is_due:
            return
        if time.monotonic() - self._opened_at >= self._settings.fail_after:
            self._fault_is_due = False
            self.emulation.inject(self._settings.fail, self._settings.fail_joint)


def _check(spec: RobotSpec, settings: EmulatedSettings) -> None:
    configured_buses(spec, settings.hardware)


BACKEND_ENTRY = BackendEntry("hw_drivers", "emulated_backend", EmulatedBackend, EmulatedSettings, check=_check)
