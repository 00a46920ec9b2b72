"""Joint commands as the supervisor takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray, JointCommand
from crawler_nodes.messages.joint_message import JointMessage


class CommandMessage(NamedTuple):
    """A message of joint_commands."""

    backend: str  # instance name of the backend whose state it answers
    sender: str  # instance name of the controller; empty where it gives none
    stamp: int  # ns, of the state that it answers
    setpoints: JointCommand


class CommandReader:
    """Turns joint_commands into a JointCommand in the robot's order.

    A message has a position for every actuated joint; NaN is allowed for joints driven by effort. Without an array of
    velocities or efforts none is commanded.
    """

    def __init__(self, spec: RobotSpec) -> None:
        self._names = list(spec.actuated_names)
        self._none = np.full(len(self._names), np.nan)

    def read(self, message: JointMessage) -> CommandMessage:
        """Read a message. Raises UserError for unknown, missing or repeated joints and for lengths that do not fit."""
        backend, _, sender = message.sender.partition(" ")
        return CommandMessage(backend, sender, message.stamp, self._setpoints(message))

    def _setpoints(self, message: JointMessage) -> JointCommand:
        order = None if message.name == self._names else self._order(message.name)
        position = self._field(message.position, "position", required=True)
        velocity, effort = self._field(message.velocity, "velocity"), self._field(message.effort, "effort")
        if order is None:
            return JointCommand(position, velocity, effort)
        return JointCommand(position[order], velocity[order], effort[order])

    def _order(self, names: list[str]) -> list[int]:
        """Return where the message has each actuated joint. Raises UserError unless it names each once."""
        allowed = ", ".join(self._names)
        if unknown := [name for name in names if name not in self._names]:
            raise UserError(f"joint_commands names '{unknown[0]}', which is no actuated joint: use {allowed}.")
        if sorted(names) != sorted(self._names):
            given = ", ".join(names) or "no joint"
            raise UserError(f"joint_commands names {given}: it must name each actuated joint once, {allowed}.")
        return [names.index(name) for name in self._names]

    def _field(self, values: Sequence[float], label: str, required: bool = False) -> FloatArray:
        if not values and not required:
            return self._none
        if len(values) != len(self._names):
            raise UserError(
                f"joint_commands has {len(values)} values of {label} for {len(self._names)} joints: give one per joint."
            )
        return np.array(values)
