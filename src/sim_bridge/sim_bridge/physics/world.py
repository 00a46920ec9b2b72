"""What a physics engine must do for one robot on flat ground: the contract between a backend and the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from crawler_core.types import BaseState
from sim_bridge.physics.contact_average import ContactAverage, FootMotion


class World(Protocol):
    """Ground, gravity and a robot as its file's `start` says, its loops closed, its actuated joints at home.

    Lists of joints are plain floats, since a backend asks for them many times a tick. A world is made with the places
    of those actuated joints that it shall push; it drives the others.
    """

    @property
    def window(self) -> bool:
        """Whether somebody watches it."""

    def drive(self, position: Sequence[float]) -> None:
        """Let the next step end with the driven joints at `position` (rad), whatever torque that takes."""

    def push(self, effort: Sequence[float]) -> None:
        """Apply `effort` (N·m) to the pushed joints during the next step, and no longer."""

    def free(self) -> None:
        """Switch the motors of all actuated joints off; `drive` and `push` switch theirs on again."""

    def step(self, contacts: ContactAverage) -> None:
        """Let one step pass, and add the forces on the feet during it."""

    def touch(self, contacts: ContactAverage) -> None:
        """Add the forces on the feet during the last step again."""

    def state(self) -> tuple[BaseState, list[float], list[float], list[float]]:
        """The base link; position (rad), velocity (rad/s) and what drove it in the last step (N·m) of each joint."""

    def actuated(self) -> list[tuple[float, float]]:
        """Position (rad) and velocity (rad/s) of each actuated joint."""

    def feet(self) -> list[FootMotion]:
        """How each foot moves."""

    def look_at(self, target: Sequence[float]) -> None:
        """Point the window's camera at `target`, where there is a window."""

    def close(self) -> None:
        """Give the engine back. May be called twice."""
