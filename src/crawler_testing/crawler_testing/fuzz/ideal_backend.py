"""Backend whose joints reach every setpoint exactly, so that any wrong motion comes from a wrong command."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact, ContactMode, ContactSource, Observation
from sim_bridge.mock.mock_backend import MockSettings
from sim_bridge.mock.stepped_mock_backend import SteppedMockBackend

ROTOR_PER_EFFORT = 1e-4  # kg·m² and N·m·s/rad per N·m of a joint that is commanded by effort
BASE = BaseState((0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def rotor_parameters(spec: RobotSpec) -> dict[str, float]:
    """Return the backend's parameters for the robot's strongest joint that is commanded by effort."""
    efforts = [joint.effort for joint in spec.actuated if joint.is_effort_driven]
    return dict.fromkeys(("rotor_inertia", "rotor_damping"), ROTOR_PER_EFFORT * max(efforts)) if efforts else {}


class IdealBackend(SteppedMockBackend):
    """Mock servos. The base stands still, every foot sticks, and passive joints stay at home."""

    kind: ClassVar[str] = "ideal"

    def __init__(self, spec: RobotSpec, settings: MockSettings, dt: float) -> None:
        super().__init__(spec, settings, dt)
        self._contacts = tuple(
            Contact(foot, ContactMode.STICK, ContactSource.SIMULATED, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
            for foot in spec.foot_names
        )

    def observe(self) -> Observation:
        seen = super().observe()
        position = np.where(np.isnan(seen.position), self._home, seen.position)
        return replace(
            seen, position=position, velocity=np.nan_to_num(seen.velocity), base=BASE, contacts=self._contacts
        )
