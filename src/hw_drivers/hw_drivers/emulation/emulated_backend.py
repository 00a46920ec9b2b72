"""The emulated backend: the hardware backend on emulated buses that speak the same bytes, and what its motors move."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from crawler_core.errors import unknown_name
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import JointCommand, Observation
from hw_drivers.backend.hardware_backend import HardwareBackend, configured_buses
from hw_drivers.bus.bus import Reading
from hw_drivers.emulation.emulated_settings import EmulatedSettings
from hw_drivers.emulation.emulation import Emulation


class EmulatedBackend:
    """Real drivers under pretended motors: what they send and hear is what real ones would.

    `motors` is the backend that drives them, `emulation` what pretends to be driven, while it is open.
    """

    simulated: ClassVar[bool] = False
    kind: ClassVar[str] = "emulated"

    def __init__(self, spec: RobotSpec, settings: EmulatedSettings, dt: float) -> None:
        """Raises UserError where the robot file or the settings cannot be used; nothing is pretended yet."""
        if settings.fail_joint and settings.fail_joint not in spec.actuated_names:
            raise unknown_name("actuated joint", settings.fail_joint, spec.actuated_names)
        self._spec = spec
        self._settings = settings
        self._dt = dt
        self._buses = configured_buses(spec, settings.hardware)
        self.motors = HardwareBackend(spec, settings.hardware, dt, self._buses)
        self.emulation: Emulation | None = None

    def open(self) -> None:
        """Pretend the buses, with every joint at home, and open the driver on them. Raises UserError or BusFault."""
        self.emulation = emulation = Emulation(self._spec, self._buses)
        self.motors = HardwareBackend(
            self._spec, self._settings.hardware, self._dt, [emulation.connected(bus) for bus in self._buses]
        )
        try:
            self.motors.open()
        except BaseException:
            self.close()
            raise
        self._opened_at = time.monotonic()
        self._ordered = self._settings.fail != "none"

    def observe(self) -> Observation:
        """What the motors last reported; the base and the feet are where their true angles have moved them."""
        self._spoil()
        seen = self.motors.observe()
        if self.emulation is None:
            return seen
        base, contacts = self.emulation.look()
        return replace(seen, base=base, contacts=contacts)

    def apply(self, command: JointCommand) -> JointCommand:
        """Send setpoints, as the driver does."""
        return self.motors.apply(command)

    def advance(self, dt: float) -> None:
        """Begin a cycle on every bus; time passes by itself."""
        self.motors.advance(dt)

    def relax(self) -> None:
        """Take the torque off every joint. Raises BusFault."""
        self.motors.relax()

    def recover(self) -> None:
        """Clear the motors' errors, and put the robot on its feet. Raises BusFault or BackendFault."""
        if self.emulation is not None:
            self.emulation.recover()
        self.motors.recover()

    def health(self) -> Mapping[str, object]:
        """How the motors say that they are, for diagnostics."""
        return self.motors.health()

    def readings(self) -> dict[str, Reading]:
        """The newest reading of each actuated joint."""
        return self.motors.readings()

    def close(self) -> None:
        """Let go of the ports, and end what was pretended. May be called twice."""
        self.motors.close()
        if self.emulation is not None:
            self.emulation.close()
            self.emulation = None

    def _spoil(self) -> None:
        """Begin the ordered fault when its time has come."""
        if self.emulation is None or not self._ordered:
            return
        if time.monotonic() - self._opened_at >= self._settings.fail_after:
            self._ordered = False
            self.emulation.inject(self._settings.fail, self._settings.fail_joint)


def _check(spec: RobotSpec, settings: EmulatedSettings) -> None:
    configured_buses(spec, settings.hardware)


ENTRY = BackendEntry("hw_drivers", "emulated_backend", EmulatedBackend, EmulatedSettings, check=_check)
