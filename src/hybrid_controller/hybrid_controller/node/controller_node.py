"""The controller node: answers every state with the setpoints for one tick later."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from functools import partial
from typing import Any

from crawler_interfaces.msg import ContactStateArray
from rclpy.node import Node

from crawler_core.errors import UserError
from crawler_core.loop.backend_settings import robot_rate_setting
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.supervisor import MOVING_STATES, MotionState
from crawler_core.types import Contact, ContactSource
from crawler_nodes.messages.joint_message import JointMessage, JointMessageReader
from crawler_nodes.messages.motion_state import BackendMotionStates, read_motion_state
from crawler_nodes.messages.sensor_readings import SensorReadingsReader
from crawler_nodes.node_main import run_node
from crawler_nodes.parameters import NodeParameters, robot_from_parameters
from crawler_nodes.topics import (
    CONTACT_STATES,
    GAIT_REFERENCE,
    JOINT_STATES,
    MOTION_STATE,
    ODOM,
    PER_TICK,
    SENSOR_READINGS,
)
from crawler_nodes.transport.message_source import publisher_nodes
from crawler_nodes.transport.priority_executor import PriorityExecutor
from crawler_nodes.transport.safe_subscriptions import SafeSubscriptions
from crawler_nodes.transport.source_arbiter import SourceArbiter
from hybrid_controller.controller import Controller, Status
from hybrid_controller.laws.law import Law, LawReport
from hybrid_controller.laws.law_registry import LAWS, law_defaults, law_name
from hybrid_controller.node.controller_publishers import ControllerPublishers
from hybrid_controller.node.controller_report import ControllerReport
from hybrid_controller.node.controller_settings import ControllerSettings
from hybrid_controller.node.feedback_inputs import NEVER_NS, FeedbackInputs
from hybrid_controller.node.joint_selector import JointSelector
from hybrid_controller.node.lockstep_wait import LockstepWait
from hybrid_controller.node.message_parsing import read_contacts, read_odometry, read_reference, read_state
from hybrid_controller.reference.horizon import Horizon

MAX_REFERENCE_BYTES = 10_000_000  # a horizon of many joints may be long
NO_STATE = JointMessage("", NEVER_NS, [], (), (), ())


class ControllerNode(Node):
    """Connects a Controller to joint_states, gait_reference and the topics that its law reads."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("controller", **node_options)
        spec = robot_from_parameters(self)
        parameters = NodeParameters(self)
        settings = parameters.declare(ControllerSettings, robot_rate_setting(spec))
        self.law_name = law_name(spec, settings.law)
        dt_ns = round(1e9 / settings.rate)
        law = self._declare_law(parameters, spec, dt_ns * 1e-9)
        self.controller = Controller(spec, law, dt_ns)
        self.state_source, self.reference_source = SourceArbiter(), SourceArbiter()
        self.motion_states = BackendMotionStates()
        self.state_received_s = 0.0  # on the steady clock, of the last state
        self.outputs = ControllerPublishers(
            self, spec, self.law_name, round(1e9 / settings.state_rate), law.reads_odometry
        )
        self.inputs = FeedbackInputs(law, settings.lockstep)
        self.lockstep_wait: LockstepWait | None = None
        if settings.lockstep:
            readers = self.outputs.count_command_readers
            self.lockstep_wait = LockstepWait(self, settings, readers, self._answer_pending)
        self._contact_topic = settings.contact_topic
        self._joints = JointSelector(spec.actuated_names)
        self._joint_names = spec.actuated_names
        self._state = NO_STATE  # the newest
        self._pending = False  # it still waits for its command
        self.safe_subscriptions = SafeSubscriptions(self, self._report_problem)
        self._report = ControllerReport(self, spec.name)
        self.priority_subscriptions = self._subscribe(spec, law)
        self._report.publish()

    def _declare_law(self, parameters: NodeParameters, spec: RobotSpec, dt: float) -> Law:
        """Declare the law's parameters and return the law. Raises UserError for a value that is not allowed."""
        entry, defaults = LAWS[self.law_name], law_defaults(spec, self.law_name)
        own: Any = parameters.declare(entry.parameters, defaults, on_change=self._tune)
        parameters.reject_unknown(section="controller")
        return entry.build(spec, own, dt)

    def _tune(self, parameters: Any) -> None:
        self.controller.law.tune(parameters)

    def _subscribe(self, spec: RobotSpec, law: Law) -> list[Any]:
        """Subscribe to the node's topics. The motion state comes first: without it a reference is not accepted."""
        subscribe = self.safe_subscriptions.subscribe
        reference = partial(read_reference, joints=spec.actuated_names)
        subscriptions = [
            subscribe(MOTION_STATE, read_motion_state, self._on_motion_state),
            subscribe(GAIT_REFERENCE, reference, self._on_reference, max_bytes=MAX_REFERENCE_BYTES),
        ]
        if law.reads_contacts:
            topic = replace(CONTACT_STATES, name=self._contact_topic)
            subscriptions.append(
                subscribe(topic, self._read_contacts, partial(self._on_input, self.inputs.set_contacts))
            )
        if law.reads_odometry:
            odometry = partial(read_odometry, can_yaw="yaw" in spec.base_motion)
            on_odometry = partial(self._on_input, self.inputs.add_odometry)
            subscriptions.append(subscribe(ODOM, odometry, on_odometry, depth=PER_TICK))
        if law.reads_sensors:
            readings, on_readings = SensorReadingsReader(spec), partial(self._on_input, self.inputs.add_readings)
            subscriptions.append(
                subscribe(SENSOR_READINGS, lambda message: message, on_readings, depth=PER_TICK, decode=readings)
            )
        subscriptions.append(subscribe(JOINT_STATES, read_state, self._on_state, decode=JointMessageReader()))
        return subscriptions

    def _read_contacts(self, message: ContactStateArray) -> tuple[int, tuple[Contact, ...]]:
        """Read contacts. Raises UserError for those of another node than the backend on an undeclared topic."""
        found = read_contacts(message)
        if self._contact_topic == CONTACT_STATES.name and any(
            one.source is ContactSource.ESTIMATED for one in found[1]
        ):
            nodes = ", ".join(publisher_nodes(self, CONTACT_STATES))
            raise UserError(
                f"contact_states has contacts that are estimated, which no backend publishes, and comes "
                f"from {nodes}: publish them on a topic of their own, and start with controller.contact_topic=TOPIC."
            )
        return found

    @property
    def now_ns(self) -> int:
        return self._state.stamp

    @property
    def motion_state(self) -> MotionState:
        """Return the motion state of the backend that is followed."""
        return self.motion_states.of(self.state_source.source)

    @property
    def law_report(self) -> LawReport:
        """Return the law's report on the last command; an empty one where the law did not make it."""
        return self.controller.law.report if self.controller.law_in_force else LawReport("")

    def _on_state(self, state: JointMessage) -> None:
        if not self.state_source.accept(state.sender):
            return
        self.state_received_s = time.monotonic()
        same_sender = state.sender == self._state.sender
        if same_sender and state.stamp == self.outputs.commanded_ns:
            self.outputs.repeat_command()
            return
        if not same_sender or state.stamp < self._state.stamp:
            self.controller.restart()
            self.inputs.restart(state.sender, state.stamp)
            self.outputs.restart(state.sender)
        self._state, self._pending = state, True
        self._answer()

    def _on_motion_state(self, sent: tuple[str, MotionState]) -> None:
        was_moving = self.motion_state in MOVING_STATES
        self.motion_states.update(*sent)
        if was_moving and self.motion_state not in MOVING_STATES:  # perhaps for less than a tick, between two states
            self.controller.reset_reference()
        self._answer_pending()

    def _on_reference(self, sent: tuple[str, Horizon]) -> None:
        sender, horizon = sent
        if self.motion_state not in MOVING_STATES:
            return
        has_run_out = not self.controller.reference.covers_tick(self.now_ns)
        if self.reference_source.accept(sender, allow_takeover=has_run_out):
            self._on_input(self.controller.reference.add, horizon)

    def _on_input(self, store: Any, value: Any) -> None:
        """Store an input of the tick. In lockstep a state may have waited for it."""
        store(value)
        wait = self.lockstep_wait
        if wait is None:
            return
        if wait.timed_out and self._has_inputs(self.now_ns):
            wait.timed_out = False  # the next tick waits for its inputs again
        self._answer_pending()

    def _has_inputs(self, now_ns: int) -> bool:
        return self.controller.reference.covers_tick(now_ns) and self.inputs.are_complete(now_ns)

    def _answer_pending(self) -> None:
        if self._pending:
            self._answer()

    def _answer(self) -> None:
        """Publish the command for the newest state; in lockstep only once the tick has its inputs."""
        controller, wait, now_ns = self.controller, self.lockstep_wait, self.now_ns
        moving = self.motion_state in MOVING_STATES
        if (
            moving
            and wait is not None
            and wait.must_wait(self._has_inputs(now_ns), may_time_out=controller.status is not Status.WAITING)
        ):
            return
        position, velocity = self._joints.select(self._state)
        odometry = self.inputs.take_odometry(now_ns)  # while nothing moves too, or it would pile up
        readings = self.inputs.take_readings(now_ns)
        if moving:
            contacts = self.inputs.contacts_at(now_ns)
            output = controller.step(now_ns, position, velocity, contacts, odometry, readings)
        else:
            output = controller.hold_measured(position)
        report = self.law_report
        if output is not None:
            self.outputs.publish_command(now_ns, output.setpoint, degraded=bool(report.note))
            self._pending = False
        self.outputs.publish_estimates(now_ns, controller.law.estimated)
        self.outputs.publish_state(now_ns, controller, report, output, position, velocity)
        if moving and controller.state_invalid:
            self._report_invalid_state(position, velocity)
        self._report.publish_changes()

    def _report_invalid_state(self, position: list[float], velocity: list[float]) -> None:
        invalid = [
            name
            for name, x, v in zip(self._joint_names, position, velocity, strict=True)
            if not (math.isfinite(x) and math.isfinite(v))
        ]
        self._report_problem(
            f"the angle or the speed of {', '.join(invalid)} is not known: the joints are brought to rest."
        )

    def _report_problem(self, sentence: str) -> None:
        self._report.add_problem(sentence)


def main() -> None:
    run_node(ControllerNode, executor=lambda node: PriorityExecutor(node, node.priority_subscriptions))
