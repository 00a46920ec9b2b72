"""Mock servos in simulated time, for runs in one process."""

from __future__ import annotations

from typing import ClassVar

from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.robot.robot_spec import RobotSpec
from sim_bridge.mock.mock_backend import MockBackend, MockSettings


class SteppedMockBackend(MockBackend):
    """The mock backend, whose time passes with ticks only."""

    simulated: ClassVar[bool] = True

    def __init__(self, spec: RobotSpec, settings: MockSettings, dt: float) -> None:
        """Raise UserError where `settings.fail_joint` is not an actuated joint, or where the loops cannot be read."""
        self._time_ns = 0
        super().__init__(spec, settings, dt, clock=lambda: self._time_ns, sleep=self.advance)

    def advance(self, dt: float) -> None:
        """Let `dt` s pass."""
        self._time_ns += round(dt * 1e9)


BACKEND_ENTRY = BackendEntry("sim_bridge", "mock_backend", SteppedMockBackend, MockSettings)
