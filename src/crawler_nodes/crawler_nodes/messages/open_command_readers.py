"""Commands of a user's own node: setpoints and trajectories for any of the robot's actuated joints, in any order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from crawler_core.errors import UserError, quoted
from crawler_core.loop.command_interpolator import CommandedTrajectory
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.supervisor import MAX_ANGLE
from crawler_core.types import FloatArray, JointCommand
from crawler_nodes.messages.header import SECOND_NS, stamp_ns
from crawler_nodes.messages.joint_message import JointMessage

MAX_TRAJECTORY_S = 86_400.0


class OpenCommand(NamedTuple):
    """A command with its stamp in ns; 0 stands for now."""

    stamp: int
    command: JointCommand | CommandedTrajectory


class OpenCommandReaders:
    """Reads the three messages that command a robot without a controller. Raises UserError for what cannot be meant."""

    def __init__(self, spec: RobotSpec) -> None:
        self._joints = spec.actuated
        self._places = {name: k for k, name in enumerate(spec.actuated_names)}

    def read_joint_state(self, message: JointMessage) -> OpenCommand:
        """Read setpoints: a position of each named joint that is driven by position, an effort of each other one."""
        topic = "joint_commands"
        places = self._joint_places(topic, message.name)
        position = self._row(topic, "position", message.name, message.position)
        velocity = self._row(topic, "velocity", message.name, message.velocity)
        effort = self._row(topic, "effort", message.name, message.effort)
        for k in places:
            needed, row = ("effort", effort) if self._joints[k].is_effort_driven else ("position", position)
            if not row:
                raise UserError(
                    f"joint_commands has no {needed} for {self._joints[k].name}, which is driven by {needed}: give one "
                    "for each joint that it names."
                )
        full = [self._full(places, row) for row in (position, velocity, effort)]
        for k in places:
            if self._joints[k].is_effort_driven:
                full[0][k] = full[1][k] = math.nan
        return OpenCommand(message.stamp, JointCommand(*full))

    def read_array(self, message: Float64MultiArray) -> OpenCommand:
        """Read a number for each actuated joint, in the robot file's order: its position, or effort."""
        values, names = list(message.data), list(self._places)
        if len(values) != len(names):
            raise UserError(
                f"commands has {len(values)} numbers for {len(names)} joints: give one for each, in the order "
                f"{', '.join(names)}."
            )
        _check_finite("commands", "value", names, values)
        none = np.full(len(names), math.nan)
        is_effort = np.array([joint.is_effort_driven for joint in self._joints])
        numbers = np.array(values, dtype=float)
        return OpenCommand(
            0, JointCommand(np.where(is_effort, none, numbers), none, np.where(is_effort, numbers, none))
        )

    def read_trajectory(self, message: JointTrajectory) -> OpenCommand:
        """Read points for the named joints, which must be driven by position."""
        topic, names = "joint_trajectory", list(message.joint_names)
        places = self._joint_places(topic, names)
        if pushed := [name for name, k in zip(names, places, strict=True) if self._joints[k].is_effort_driven]:
            raise UserError(
                f"joint_trajectory names {pushed[0]}, which is driven by effort: a trajectory of it needs a law; start "
                "with a controller, and --gait none."
            )
        if not message.points:
            raise UserError("joint_trajectory has no points: give one or more.")
        times = [point.time_from_start.sec * SECOND_NS + point.time_from_start.nanosec for point in message.points]
        if times[0] < 0 or any(b <= a for a, b in pairwise(times)):
            raise UserError("joint_trajectory has points whose time_from_start does not increase: order them by time.")
        if times[-1] > MAX_TRAJECTORY_S * SECOND_NS:
            raise UserError(
                f"joint_trajectory lasts {times[-1] / SECOND_NS:g} s: it must last at most {MAX_TRAJECTORY_S:g} s."
            )
        position, velocity = [], []
        for point in message.points:
            if not (row := self._row(topic, "position", names, point.positions)):
                raise UserError("joint_trajectory has a point without positions: give one for each joint.")
            position.append(self._full(places, row))
            velocity.append(self._full(places, self._row(topic, "velocity", names, point.velocities)))
        trajectory = CommandedTrajectory(np.array(times, dtype=np.int64), np.array(position), np.array(velocity))
        return OpenCommand(stamp_ns(message.header.stamp), trajectory)

    def _joint_places(self, topic: str, names: Sequence[str]) -> list[int]:
        allowed = ", ".join(self._places)
        if not names:
            raise UserError(f"{topic} names no joint: name one or more of {allowed}.")
        if unknown := [name for name in names if name not in self._places]:
            raise UserError(f"{topic} names {quoted(unknown[0])}, which is no actuated joint: use {allowed}.")
        if len(set(names)) < len(names):
            raise UserError(f"{topic} names a joint twice: name each once.")
        return [self._places[name] for name in names]

    def _row(self, topic: str, label: str, names: Sequence[str], values: Any) -> list[float]:
        row = list(values)
        if row and len(row) != len(names):
            raise UserError(
                f"{topic} has {len(row)} values of {label} for {len(names)} joints: give one for each, or none."
            )
        _check_finite(topic, label, names, row)
        return row

    def _full(self, places: Sequence[int], row: Sequence[float]) -> FloatArray:
        full = np.full(len(self._joints), math.nan)
        if row:
            full[list(places)] = row
        return full


def _check_finite(topic: str, label: str, names: Sequence[str], values: Sequence[float]) -> None:
    for name, value in zip(names, values, strict=False):
        if not abs(value) <= MAX_ANGLE:
            raise UserError(
                f"{topic} has {label} {value:g} for {name}: it must be a finite number, at most {MAX_ANGLE:g}."
            )
