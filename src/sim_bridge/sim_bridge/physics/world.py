"""The world contract: what a physics engine provides for one robot on flat ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from crawler_core.types import BaseState
from sim_bridge.physics.contact_average import ContactAverage, FootMotion


class World(Protocol):
    """Ground, gravity, and a robot in its file's start, with closed loops and its actuated joints at home.

    A world is made with the indices of the actuated joints that are driven by torque; it prescribes the others. Joint
    values are plain floats, since a backend reads them many times a tick.
    """

    @property
    def has_window(self) -> bool: ...

    def prescribe(self, position: Sequence[float]) -> None:
        """Let the next step end with the prescribed joints at `position` (rad), at whatever torque."""

    def apply_torques(self, effort: Sequence[float]) -> None:
        """Apply `effort` (N·m) to the torque-driven joints during the next step only."""

    def release_motors(self) -> None:
        """Switch the motors of all actuated joints off; `prescribe` and `apply_torques` switch theirs on again."""

    def step(self, contacts: ContactAverage) -> None:
        """Simulate one step, and add the forces on the feet in it."""

    def add_contact_forces(self, contacts: ContactAverage) -> None:
        """Add the forces on the feet in the last step."""

    def state(self) -> tuple[BaseState, list[float], list[float], list[float]]:
        """Return the base link's state, and of each joint position (rad), velocity (rad/s) and last effort (N·m)."""

    def actuated_states(self) -> list[tuple[float, float]]:
        """Return position (rad) and velocity (rad/s) of each actuated joint."""

    def foot_motions(self) -> list[FootMotion]: ...

    def point_camera(self, target: Sequence[float]) -> None:
        """Point the window's camera at `target` (m), if there is a window."""

    def close(self) -> None:
        """Release the engine. May be called twice."""
