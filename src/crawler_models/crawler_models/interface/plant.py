"""Interface of the model backend to a robot's equations: joints in, motion and ground contacts out.

Everything crossing this interface is SI and in ROS world axes: x forward, y left, z up.
"""

from __future__ import annotations

from typing import Protocol

from numpy.typing import ArrayLike

from crawler_core.types import BaseState, Contact, FloatArray


class PlantFault(Exception):
    """The equations do not hold for what was asked; the message is a sentence. ``reset`` starts again.

    ``remedy`` says what would help with this robot, where it is known.
    """

    def __init__(
        self, message: str, *, remedy: str = "choose a gentler motion, or a physics engine as the backend"
    ) -> None:
        super().__init__(message)
        self.remedy = remedy


class Plant(Protocol):
    """A robot that moves by its equations of motion."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Every joint, passive ones too."""

    @property
    def actuated(self) -> tuple[str, ...]:
        """The joints that ``advance`` commands, in its order."""

    def reset(self, position: ArrayLike) -> None:
        """Begin with the actuated joints at ``position`` (rad): standing still at the plant's origin, or in the air
        or with speed where the robot file's ``start`` says so.

        Raises ValueError when the robot cannot begin so; the state then stays as it was.
        """

    def advance(self, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike, dt: float) -> None:
        """Let ``dt`` seconds pass.

        Joints driven by position reach their setpoints at its end; whatever effort that takes, theirs is not used.
        Joints driven by effort are pushed with theirs all the while, and their setpoints, NaN perhaps, are not used.
        Raises ValueError for a number that is needed and is none, and PlantFault when the equations end; the state
        then stays as it was before the call.
        """

    def joints(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position (rad), velocity (rad/s) and effort (N m) in the order of ``joint_names``; arrays of their own."""

    def base(self) -> BaseState:
        """Pose and velocity of the base."""

    def contacts(self) -> tuple[Contact, ...]:
        """Every foot, always in the same order."""
