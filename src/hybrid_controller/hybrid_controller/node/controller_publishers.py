"""Publishers of the controller node: joint_commands, controller_state and contact_estimates."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

from crawler_interfaces.msg import ControllerState
from rclpy.node import Node

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Contact
from crawler_nodes.messages.contact_writer import ContactWriter
from crawler_nodes.messages.header import set_stamp
from crawler_nodes.messages.joint_message import JointMessageWriter
from crawler_nodes.topics import (
    CONTACT_ESTIMATES,
    CONTROLLER_STATE,
    JOINT_COMMANDS,
    ODOM_FRAME,
    create_publisher,
    frame_name,
)
from crawler_nodes.transport.message_source import instance_name
from hybrid_controller.controller import Controller, ControlOutput
from hybrid_controller.laws.law import LawReport, Setpoint
from hybrid_controller.node.feedback_inputs import NEVER_NS


class ControllerPublishers:
    """Fills and publishes the node's messages. Each message object is made once."""

    def __init__(
        self, node: Node, spec: RobotSpec, law_name: str, state_period_ns: int, estimates_contacts: bool
    ) -> None:
        self.commands = 0
        self.degraded_commands = 0  # with a note: the law could not do what it is made for
        self.commanded_ns = NEVER_NS  # stamp of the last command
        self._sender = instance_name(node)
        self._command_writer = JointMessageWriter(spec.actuated_names)
        self._command = b""  # serialised
        self._state = ControllerState(law=law_name, joint_names=list(spec.actuated_names))
        self._full_turns = [math.tau if joint.continuous else math.inf for joint in spec.actuated]
        self._state_period_ns = state_period_ns
        self._estimates_writer = ContactWriter(frame_name(node.get_namespace().strip("/"), ODOM_FRAME), spec.foot_names)
        self._command_publisher = create_publisher(node, JOINT_COMMANDS)
        self._state_publisher = create_publisher(node, CONTROLLER_STATE)
        self._estimates_publisher = create_publisher(node, CONTACT_ESTIMATES) if estimates_contacts else None
        self.restart("")

    def restart(self, backend: str) -> None:
        """Address the commands to a backend; nothing has been commanded to it yet."""
        self._command_writer.set_sender(f"{backend} {self._sender}")
        self.commanded_ns = self._state_due_ns = NEVER_NS

    def count_command_readers(self) -> int:
        return self._command_publisher.get_subscription_count()

    def publish_command(self, time_ns: int, setpoint: Setpoint, degraded: bool) -> None:
        rows = setpoint.position, setpoint.velocity, setpoint.effort
        self._command = self._command_writer.fill(time_ns, *rows)
        self._command_publisher.publish(self._command)
        self.commanded_ns = time_ns
        self.commands += 1
        self.degraded_commands += degraded

    def repeat_command(self) -> None:
        """Publish the last command again, for a backend that has not received it."""
        self._command_publisher.publish(self._command)

    def publish_estimates(self, time_ns: int, contacts: Sequence[Contact]) -> None:
        """Publish the contacts that the law estimates, if it estimates any."""
        if self._estimates_publisher is not None and contacts:
            self._estimates_publisher.publish(self._estimates_writer.fill(time_ns, contacts))

    def publish_state(
        self,
        time_ns: int,
        controller: Controller,
        report: LawReport,
        output: ControlOutput | None,
        position: list[float],
        velocity: list[float],
    ) -> None:
        """Publish controller_state, if it is due, after the output for the measured `position` and `velocity`."""
        if time_ns < self._state_due_ns:
            return
        self._state_due_ns = time_ns + self._state_period_ns
        message = self._state
        set_stamp(message.header.stamp, time_ns)
        message.status = int(controller.status)
        message.horizon_remaining = controller.reference.remaining(time_ns)
        message.branch, message.note = report.branch, report.note
        message.slip_reference = array("d", report.slip_reference)
        message.slip_velocity = array("d", report.slip_velocity)
        message.saturated = [] if output is None else output.setpoint.saturated
        reference: tuple[Sequence[float], ...] = ((), (), (), ())
        if output is not None and output.now is not None and output.ahead is not None:
            errors = zip(position, output.now.position, self._full_turns, strict=True)
            reference = (
                output.ahead.position,
                output.ahead.velocity,
                [math.remainder(q - r, turn) for q, r, turn in errors],
                [v - r for v, r in zip(velocity, output.now.velocity, strict=True)],
            )
        message.reference_position, message.reference_velocity, message.position_error, message.velocity_error = (
            array("d", values) for values in reference
        )
        self._state_publisher.publish(message)
