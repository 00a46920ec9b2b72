"""The controller node: answers every state with the setpoints for one tick later."""

from __future__ import annotations

import math
from array import array
from collections import deque
from dataclasses import dataclass
from typing import Any

from crawler_interfaces.msg import ContactStateArray, ControllerState
from nav_msgs.msg import Odometry
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from crawler_core.backend_settings import robots_rate
from crawler_core.errors import UserError
from crawler_core.parameters import parameter
from crawler_core.types import Contact, ContactMode, ContactSource
from crawler_nodes.diagnostics import ERROR, OK, WARN, DiagnosticsReporter
from crawler_nodes.messages import BEHIND, ContactWriter, stamp_ns, travel
from crawler_nodes.node_main import run_node
from crawler_nodes.ros_parameters import declare, refuse_unknown, robot_of
from hybrid_controller.controller import ODOMETRY_DELAY, Answer, Controller, Status
from hybrid_controller.laws.catalogue import LAWS, law_defaults, law_name
from hybrid_controller.laws.law import BaseMotion, Law, LawReport
from hybrid_controller.reference import read_trajectory

NEVER = -1  # ns, before every stamp
CONTACTS_LAST = 50_000_000  # ns; older ones say nothing about the present


@dataclass(frozen=True)
class ControllerSettings:
    """The node's own parameters; those of the law stand beside them."""

    robot: str = parameter("", doc="installed robot, or the path of a robot.yaml; empty: the default", constant=True)
    robot_overrides: str = parameter("", doc="YAML mapping of robot parameters to use instead", constant=True)
    law: str = parameter("", doc="name of the control law; empty: the robot's default", constant=True)
    rate: float = parameter(200.0, unit="Hz", low=10.0, high=4000.0, doc="ticks per second of the ring", constant=True)
    lockstep: bool = parameter(False, doc="wait for the reference of every tick instead of stopping", constant=True)
    reference_timeout: float = parameter(
        1.0, unit="s", low=0.05, high=60.0, doc="wall time that lockstep waits for a reference", constant=True
    )
    state_rate: float = parameter(
        50.0, unit="Hz", low=0.1, high=4000.0, doc="controller_state per second of the run's time", constant=True
    )


class ControllerNode(Node):
    """Wires a Controller to joint_states, gait_reference and, for a law that reads them, contact_states and odom."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("controller", **node_options)
        self._spec = robot_of(self)
        settings = declare(self, ControllerSettings, robots_rate(self._spec))
        self._law_name = law_name(self._spec, settings.law)
        self._dt_ns = round(1e9 / settings.rate)
        self._yaws = "yaw" in self._spec.base_motion
        defaults = law_defaults(self._spec, self._law_name)
        own: Any = declare(self, LAWS[self._law_name].parameters, defaults, on_change=self._tune)
        refuse_unknown(self, section="controller")
        law: Law = LAWS[self._law_name].build(self._spec, own, self._dt_ns * 1e-9)
        self._controller = Controller(self._spec, law, self._dt_ns)
        self._lockstep = settings.lockstep
        self._state_period = round(1e9 / settings.state_rate)

        # the state in hand, and what has been answered
        self._state = JointState()
        self._now = NEVER
        self._pending = False  # the state in hand still waits for its answer
        self._answered = NEVER
        self._state_due = NEVER
        self._names: list[str] = []  # of the joints in joint_states
        self._index: list[int] = []  # where the actuated ones stand there
        self._unknown = [float("nan")] * len(self._spec.actuated)
        self._turns = [math.tau if joint.continuous else math.inf for joint in self._spec.actuated]
        self._contacts: tuple[Contact, ...] = ()
        self._contacts_of = NEVER
        self._odometry: deque[BaseMotion] = deque()  # not used yet
        self._odometry_of = NEVER
        self._given_up = False  # lockstep has waited long enough for a reference

        self._complaint = ""
        self._said = Status.WAITING
        self._noted = ""  # of the law
        self._answers = 0
        self._notes = 0  # answers in which the law could not do what it is made for

        self._command = JointState(name=list(self._spec.actuated_names))
        self._report_message = ControllerState(law=self._law_name, joint_names=list(self._spec.actuated_names))
        self._diagnostics = DiagnosticsReporter(self, hardware_id=self._spec.name)
        self._commands_out = self.create_publisher(JointState, "joint_commands", BEHIND)
        self._states_out = self.create_publisher(ControllerState, "controller_state", 10)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.hot = [self.create_subscription(JointTrajectory, "gait_reference", self._on_reference, latched)]
        if law.reads_contacts:
            self.hot.append(self.create_subscription(ContactStateArray, "contact_states", self._on_contacts, 10))
        self._estimates_out, self._estimates = None, ContactWriter("odom", self._spec.foot_names)
        if law.reads_odometry:
            self.hot.append(self.create_subscription(Odometry, "odom", self._on_odometry, BEHIND))
            self._estimates_out = self.create_publisher(ContactStateArray, "contact_estimates", BEHIND)
        self.hot.append(self.create_subscription(JointState, "joint_states", self._on_state, 10))
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._patience = self.create_timer(settings.reference_timeout, self._give_up, clock=steady)
        self._patience.cancel()
        self.create_timer(1.0, self._every_second, clock=steady)
        self._report()

    def _tune(self, parameters: Any) -> None:
        self._controller.law.tune(parameters)

    # the ring

    def _on_state(self, message: JointState) -> None:
        now = stamp_ns(message.header.stamp)
        if now == self._answered:
            self._commands_out.publish(self._command)  # the backend has not seen the answer
            return
        if now < self._now:
            self._controller.restart()
            self._answered = self._state_due = self._contacts_of = self._odometry_of = NEVER
            self._odometry.clear()
        self._state = message
        self._now = now
        self._pending = True
        self._answer()

    def _answer(self) -> None:
        """Answer the state in hand; in lockstep only once everything that the answer depends on is there."""
        controller, now = self._controller, self._now
        if self._lockstep and not self._complete(now):
            return
        position, velocity = self._measured()
        answer = controller.step(now, position, velocity, self._present_contacts(now), self._past_odometry(now))
        if answer is not None:
            command = self._command
            command.header.stamp = self._state.header.stamp
            command.position = array("d", answer.setpoint.position)
            command.velocity = array("d", answer.setpoint.velocity)
            if answer.setpoint.effort:
                command.effort = array("d", answer.setpoint.effort)
            self._commands_out.publish(command)
            self._answered = now
            self._pending = False
            self._answers += 1
            self._notes += bool(self._law_report.note)
        if self._estimates_out is not None and controller.law.estimated:
            self._estimates_out.publish(self._estimates.fill(now, controller.law.estimated))
        if now >= self._state_due:
            self._state_due = now + self._state_period
            self._publish_state(answer, position, velocity)
        if controller.blind:
            bad = [
                joint.name
                for joint, x, v in zip(self._spec.actuated, position, velocity, strict=True)
                if not (math.isfinite(x) and math.isfinite(v))
            ]
            self._complain(f"the angle or the speed of {', '.join(bad)} is not known: the joints are brought to rest.")
        if controller.status is not self._said or self._law_report.note != self._noted:
            self._report()

    def _complete(self, now: int) -> bool:
        """Whether lockstep can answer; otherwise its patience begins to run."""
        controller = self._controller
        law = controller.law
        if (
            controller.has_reference(now)
            and (self._contacts_of == now or not law.reads_contacts)
            and (self._odometry_of >= now - ODOMETRY_DELAY or not law.reads_odometry)
        ):
            if not self._patience.is_canceled():
                self._patience.cancel()
            self._given_up = False
            return True
        if self._given_up:
            return True
        if controller.status is not Status.WAITING and self._patience.is_canceled():
            self._patience.reset()
        return False

    def _give_up(self) -> None:
        self._patience.cancel()
        self._given_up = True
        if self._pending:
            self._answer()

    def _present_contacts(self, now: int) -> tuple[Contact, ...]:
        oldest = now if self._lockstep else now - CONTACTS_LAST
        return self._contacts if self._contacts_of >= oldest else ()

    def _past_odometry(self, now: int) -> list[BaseMotion]:
        past = []
        while self._odometry and self._odometry[0].time_ns <= now - ODOMETRY_DELAY:
            past.append(self._odometry.popleft())
        return past

    @property
    def _law_report(self) -> LawReport:
        """What the law did in the last answer; nothing where the answer was not its own."""
        return self._controller.law.report if self._controller.in_force else LawReport("")

    def _measured(self) -> tuple[list[float], list[float]]:
        """Angles and speeds of the actuated joints in the state in hand; NaN where it does not have them all."""
        state = self._state
        if state.name != self._names:
            self._names = list(state.name)
            wanted = self._spec.actuated_names
            self._index = [self._names.index(name) for name in wanted if name in self._names]
        p, v = state.position, state.velocity
        if len(p) != len(self._names) or len(v) != len(p) or len(self._index) != len(self._unknown):
            return self._unknown, self._unknown
        return [p[i] for i in self._index], [v[i] for i in self._index]

    def _on_reference(self, message: JointTrajectory) -> None:
        try:
            self._controller.take(read_trajectory(message, self._spec.actuated_names))
        except UserError as error:
            self._complain(str(error))
            return
        if self._lockstep and self._pending:
            self._answer()

    def _on_contacts(self, message: ContactStateArray) -> None:
        self._contacts = read_contacts(message)
        self._contacts_of = stamp_ns(message.header.stamp)
        if self._lockstep and self._pending:
            self._answer()

    def _on_odometry(self, message: Odometry) -> None:
        self._odometry_of = stamp_ns(message.header.stamp)
        self._odometry.append(BaseMotion(self._odometry_of, travel(message, self._yaws).forward))
        if self._lockstep and self._pending:
            self._answer()

    # what is said about it

    def _publish_state(self, answer: Answer | None, position: list[float], velocity: list[float]) -> None:
        message = self._report_message
        message.header.stamp = self._state.header.stamp
        message.status = int(self._controller.status)
        message.horizon_left = self._controller.horizon_left(self._now)
        report = self._law_report
        message.branch, message.note = report.branch, report.note
        message.slip_reference = array("d", report.slip_reference)
        message.slip_velocity = array("d", report.slip_velocity)
        message.saturated = [] if answer is None else answer.setpoint.saturated
        if answer is None or answer.now is None or answer.ahead is None:
            nothing = array("d")
            message.reference_position = message.reference_velocity = nothing
            message.position_error = message.velocity_error = nothing
        else:
            now, ahead = answer.now, answer.ahead
            message.reference_position = array("d", ahead.position)
            message.reference_velocity = array("d", ahead.velocity)
            message.position_error = array(
                "d",
                [math.remainder(q - r, turn) for q, r, turn in zip(position, now.position, self._turns, strict=True)],
            )
            message.velocity_error = array("d", [a - b for a, b in zip(velocity, now.velocity, strict=True)])
        self._states_out.publish(message)

    def _every_second(self) -> None:
        self._report()
        self._complaint = ""  # what is still wrong will be said again

    def _complain(self, sentence: str) -> None:
        """Say what cannot be used, once a second at most."""
        if sentence != self._complaint:
            self._complaint = sentence
            self.get_logger().error(sentence)
            self._report()

    def _report(self) -> None:
        status = self._controller.status
        if status is not self._said:
            self._said = status
            if status is Status.STOPPING:
                self.get_logger().warning("no usable reference or state: bringing the joints to rest")
            else:
                self.get_logger().info(f"{status.name.lower()}")
        words = {
            Status.WAITING: (WARN, "waiting for a reference and a state"),
            Status.TRACKING: (OK, "approaching the reference" if self._controller.approaching else "tracking"),
            Status.STOPPING: (WARN, "the reference ran out: stopping"),
            Status.STOPPED: (WARN, "the reference ran out: stopped"),
        }
        level, text = words[status]
        self._noted = self._law_report.note
        if level == OK and self._noted:
            level, text = WARN, self._noted
        if self._complaint:
            level, text = ERROR, self._complaint
        self._diagnostics.set(
            level,
            text,
            {
                "law": self._law_name,
                "branch": self._law_report.branch,
                "status": status.name,
                "answers": self._answers,
                "answers_with_a_note": self._notes,
            },
        )


def read_contacts(message: ContactStateArray) -> tuple[Contact, ...]:
    """The contacts in a message."""
    return tuple(
        Contact(
            foot=entry.foot,
            mode=ContactMode(entry.mode),
            source=ContactSource(entry.source),
            force=(entry.force.x, entry.force.y, entry.force.z),
            slip_velocity=(entry.slip_velocity.x, entry.slip_velocity.y, entry.slip_velocity.z),
        )
        for entry in message.contacts
    )


def main() -> None:
    run_node(ControllerNode, hot=lambda node: node.hot)
