"""What the model backend needs from a robot's equations: joints in, motion and ground contacts out.

Everything crossing this interface is SI and in ROS world axes: x forward, y left, z up.
"""

from __future__ import annotations

from typing import Protocol

from numpy.typing import ArrayLike

from crawler_core.types import BaseState, Contact, FloatArray


class PlantFault(Exception):
    """The equations do not hold for what was asked; the message is a sentence. ``reset`` starts again."""


class Plant(Protocol):
    """A robot that moves by its equations of motion."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Every joint, passive ones too."""

    @property
    def actuated(self) -> tuple[str, ...]:
        """The joints that ``advance`` commands, in its order."""

    def reset(self, position: ArrayLike) -> None:
        """Stand still at the start with the actuated joints at ``position`` (rad).

        Raises ValueError when the robot cannot stand so.
        """

    def advance(self, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike, dt: float) -> None:
        """Let ``dt`` seconds pass; the actuated joints reach the setpoints at its end.

        Raises ValueError for setpoints that are not numbers, and PlantFault when the equations end; the state then
        stays as it was before the call.
        """

    def joints(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position (rad), velocity (rad/s) and effort (N m) in the order of ``joint_names``."""

    def base(self) -> BaseState:
        """Where the base is and how it moves."""

    def contacts(self) -> tuple[Contact, ...]:
        """Every foot, always in the same order."""
