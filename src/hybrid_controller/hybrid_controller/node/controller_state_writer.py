"""Filling controller_state: what the controller does, and how well."""

from __future__ import annotations

import math
from array import array

from crawler_interfaces.msg import ControllerState

from crawler_core.robot.robot_spec import RobotSpec
from crawler_nodes.messages.header import set_stamp
from hybrid_controller.controller import Controller, ControlOutput
from hybrid_controller.laws.law import LawReport


class ControllerStateWriter:
    """One message, filled again and again."""

    def __init__(self, spec: RobotSpec, law: str) -> None:
        self._message = ControllerState(law=law, joint_names=list(spec.actuated_names))
        self._turns = [math.tau if joint.continuous else math.inf for joint in spec.actuated]

    def fill(
        self,
        controller: Controller,
        now_ns: int,
        report: LawReport,
        answer: ControlOutput | None,
        position: list[float],
        velocity: list[float],
    ) -> ControllerState:
        """After the answer to the state of `now_ns`, in which the actuated joints have these angles and speeds."""
        message = self._message
        set_stamp(message.header.stamp, now_ns)
        message.status = int(controller.status)
        message.horizon_remaining = controller.horizon_remaining(now_ns)
        message.branch, message.note = report.branch, report.note
        message.slip_reference = array("d", report.slip_reference)
        message.slip_velocity = array("d", report.slip_velocity)
        message.saturated = [] if answer is None else answer.setpoint.saturated
        if answer is None or answer.now is None or answer.ahead is None:
            nothing = array("d")
            message.reference_position = message.reference_velocity = nothing
            message.position_error = message.velocity_error = nothing
            return message
        now, ahead = answer.now, answer.ahead
        message.reference_position = array("d", ahead.position)
        message.reference_velocity = array("d", ahead.velocity)
        message.position_error = array(
            "d",
            [math.remainder(q - r, turn) for q, r, turn in zip(position, now.position, self._turns, strict=True)],
        )
        message.velocity_error = array("d", [a - b for a, b in zip(velocity, now.velocity, strict=True)])
        return message
