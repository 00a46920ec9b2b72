"""The controller node: answers every state with the setpoints for one tick later."""

from __future__ import annotations

import math
import time
from array import array
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import Any

from crawler_interfaces.msg import ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticStatus
from nav_msgs.msg import Odometry
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from crawler_core.loop.backend_settings import robot_rate_setting
from crawler_core.parameters import parameter
from crawler_core.safety.supervisor import MOVING_STATES, MotionState
from crawler_core.types import Contact
from crawler_nodes.messages.contact_writer import ContactWriter
from crawler_nodes.messages.header import set_stamp
from crawler_nodes.messages.joint_message import JointMessage, JointMessageReader
from crawler_nodes.messages.motion_state import read_motion_state
from crawler_nodes.node_main import run_node
from crawler_nodes.parameters import declare, reject_unknown_parameters, robot_from_parameters
from crawler_nodes.topics import PER_TICK
from crawler_nodes.transport.message_source import instance_name
from crawler_nodes.transport.priority_executor import PriorityExecutor
from crawler_nodes.transport.safe_subscriptions import SafeSubscriptions
from crawler_nodes.transport.source_arbiter import SourceArbiter
from hybrid_controller.controller import ODOMETRY_DELAY, Controller, Status
from hybrid_controller.laws.law import BaseMotion, Law, LawReport
from hybrid_controller.laws.law_registry import LAWS, law_defaults, law_name
from hybrid_controller.node.controller_report import ControllerReport
from hybrid_controller.node.controller_state_writer import ControllerStateWriter
from hybrid_controller.node.message_parsing import read_contacts, read_odometry, read_reference, read_state
from hybrid_controller.reference.horizon import Horizon

NEVER = -1  # ns, before every stamp
CONTACTS_LAST = 50_000_000  # ns; older ones say nothing about the present
PATIENCE = 10.0  # s of wall time that the first answer in lockstep waits for its readers
FEW = 8  # backends whose word on the motion is kept
MOST_REFERENCE = 10_000_000  # bytes: a horizon of many joints may be long


@dataclass(frozen=True)
class ControllerSettings:
    """The node's own parameters; those of the law stand beside them."""

    robot: str = parameter("", doc="installed robot, or the path of a robot.yaml; empty: the default", constant=True)
    robot_overrides: str = parameter("", doc="YAML mapping of robot parameters to use instead", constant=True)
    law: str = parameter("", doc="name of the control law; empty: the robot's default", constant=True)
    rate: float = parameter(
        200.0, unit="Hz", lower=10.0, upper=4000.0, doc="ticks per second of the ring", constant=True
    )
    lockstep: bool = parameter(False, doc="wait for the reference of every tick instead of stopping", constant=True)
    reference_timeout: float = parameter(
        1.0, unit="s", lower=0.05, upper=60.0, doc="wall time that lockstep waits for a reference", constant=True
    )
    readers: int = parameter(
        0,
        lower=0,
        upper=100,
        doc="lockstep gives its first answer once so many listen to joint_commands, so that they miss nothing",
        constant=True,
    )
    state_rate: float = parameter(
        50.0, unit="Hz", lower=0.1, upper=4000.0, doc="controller_state per second of the run's time", constant=True
    )


class ControllerNode(Node):
    """Wires a Controller to joint_states, gait_reference and, for a law that reads them, contact_states and odom."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("controller", **node_options)
        self._spec = robot_from_parameters(self)
        settings = declare(self, ControllerSettings, robot_rate_setting(self._spec))
        self.law_name = law_name(self._spec, settings.law)
        self._dt_ns = round(1e9 / settings.rate)
        defaults = law_defaults(self._spec, self.law_name)
        own: Any = declare(self, LAWS[self.law_name].parameters, defaults, on_change=self._tune)
        reject_unknown_parameters(self, section="controller")
        law: Law = LAWS[self.law_name].build(self._spec, own, self._dt_ns * 1e-9)
        self.controller = Controller(self._spec, law, self._dt_ns)
        self._lockstep = settings.lockstep
        self._readers = settings.readers if settings.lockstep else 0  # who are still to be seen
        self._patient_until = math.inf  # s on the steady clock, with them
        self._state_period = round(1e9 / settings.state_rate)

        # the state in hand, and what has been answered
        self._state = JointMessage("", NEVER, [], (), (), ())
        self.now = NEVER
        self._pending = False  # the state in hand still waits for its answer
        self._answered = NEVER
        self._state_due = NEVER
        self._names: list[str] = []  # of the joints in joint_states
        self._index: list[int] = []  # where the actuated ones stand there
        self._unknown = [float("nan")] * len(self._spec.actuated)
        self._contacts: tuple[Contact, ...] = ()
        self._contacts_of = NEVER
        self._odometry: deque[BaseMotion] = deque()  # not used yet
        self._odometry_of = NEVER
        self._given_up = False  # lockstep has waited long enough for a reference

        self.backend, self.gait = SourceArbiter(), SourceArbiter()  # who is followed
        self._motions: dict[str, MotionState] = {}  # what backends have said of the motion
        self.answers = 0
        self.notes = 0  # answers in which the law could not do what it is made for
        self.stated = 0.0  # s on the steady clock, when the last state came

        self._me = instance_name(self)
        self._command = JointState(name=list(self._spec.actuated_names))
        self._command.header.frame_id = f" {self._me}"
        self._state_writer = ControllerStateWriter(self._spec, self.law_name)
        self.hearing = SafeSubscriptions(self, self._complain)
        self._report = ControllerReport(self, self._spec.name)
        self._commands_out = self.create_publisher(JointState, "joint_commands", PER_TICK)
        self._states_out = self.create_publisher(ControllerState, "controller_state", PER_TICK)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        listen = self.hearing.listen
        reference = partial(read_reference, joints=self._spec.actuated_names)
        self.hot = [  # leave to move first: a reference that comes without it is not taken
            listen(DiagnosticStatus, "motion_state", read_motion_state, self._on_motion, latched),
            listen(JointTrajectory, "gait_reference", reference, self._on_reference, latched, largest=MOST_REFERENCE),
        ]
        if law.reads_contacts:
            self.hot.append(listen(ContactStateArray, "contact_states", read_contacts, self._on_contacts))
        self._estimates_out, self._estimates = None, ContactWriter("odom", self._spec.foot_names)
        if law.reads_odometry:
            odometry = partial(read_odometry, yaws="yaw" in self._spec.base_motion)
            self.hot.append(listen(Odometry, "odom", odometry, self._on_odometry, PER_TICK))
            self._estimates_out = self.create_publisher(ContactStateArray, "contact_estimates", PER_TICK)
        self.hot.append(listen(JointState, "joint_states", read_state, self._on_state, decode=JointMessageReader()))
        self._patience = self.create_timer(
            settings.reference_timeout, self._give_up, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        self._patience.cancel()
        self._report.say()

    def _tune(self, parameters: Any) -> None:
        self.controller.law.tune(parameters)

    # the ring

    def _on_state(self, message: JointMessage) -> None:
        sender = message.sender
        if not self.backend.accept(sender):
            return
        self.stated = time.monotonic()
        now = message.stamp
        if now == self._answered and sender == self._state.sender:
            self._commands_out.publish(self._command)  # the backend has not seen the answer
            return
        if now < self.now or sender != self._state.sender:
            self.controller.restart()
            self._answered = self._state_due = self._contacts_of = self._odometry_of = NEVER
            self._odometry.clear()
            self._command.header.frame_id = f"{sender} {self._me}"
        self._state = message
        self.now = now
        self._pending = True
        self._answer()

    def _answer(self) -> None:
        """ControlOutput the state in hand; in lockstep only once everything that the answer depends on is there."""
        controller, now = self.controller, self.now
        moving = self.motion in MOVING_STATES
        if moving and self._lockstep and not self._complete(now):
            return
        position, velocity = self._measured()
        odometry = self._past_odometry(now)  # of no use where nothing moves, but not to be kept for ever
        if moving:
            answer = controller.step(now, position, velocity, self._present_contacts(now), odometry)
        else:
            answer = controller.hold_measured(position)
        if answer is not None:
            command = self._command
            set_stamp(command.header.stamp, now)
            command.position = array("d", answer.setpoint.position)
            command.velocity = array("d", answer.setpoint.velocity)
            if answer.setpoint.effort:
                command.effort = array("d", answer.setpoint.effort)
            self._commands_out.publish(command)
            self._answered = now
            self._pending = False
            self.answers += 1
            self.notes += bool(self.law_report.note)
        if self._estimates_out is not None and controller.law.estimated:
            self._estimates_out.publish(self._estimates.fill(now, controller.law.estimated))
        if now >= self._state_due:
            self._state_due = now + self._state_period
            self._states_out.publish(
                self._state_writer.fill(controller, now, self.law_report, answer, position, velocity)
            )
        if moving and controller.state_invalid:
            bad = [
                joint.name
                for joint, x, v in zip(self._spec.actuated, position, velocity, strict=True)
                if not (math.isfinite(x) and math.isfinite(v))
            ]
            self._complain(f"the angle or the speed of {', '.join(bad)} is not known: the joints are brought to rest.")
        self._report.look()

    @property
    def motion(self) -> MotionState:
        """What the backend that is followed says of the motion; one that says nothing lets the joints move."""
        return self._motions.get(self.backend.source or "", MotionState.ACTIVE)

    def _on_motion(self, said: tuple[str, MotionState]) -> None:
        backend, motion = said
        if len(self._motions) > FEW and backend not in self._motions:
            self._motions.pop(next(iter(self._motions)))
        moved = self.motion in MOVING_STATES
        self._motions[backend] = motion
        if moved and self.motion not in MOVING_STATES:  # perhaps for less than a tick, in which no state comes
            self.controller.reset_reference()
        if self._pending:
            self._answer()

    def _complete(self, now: int) -> bool:
        """Whether lockstep can answer; otherwise its patience begins to run."""
        if not self._heard():
            return False  # the backend sends its state again
        if self._all_there(now):
            if not self._patience.is_canceled():
                self._patience.cancel()
            self._given_up = False
            return True
        if self._given_up:
            return True
        if self.controller.status is not Status.WAITING and self._patience.is_canceled():
            self._patience.reset()
        return False

    def _heard(self) -> bool:
        """Whether those who shall miss nothing of the answers listen, or have had their time to come."""
        if self._readers:
            self._patient_until = min(self._patient_until, time.monotonic() + PATIENCE)
            came = self._commands_out.get_subscription_count()
            late = came < self._readers and time.monotonic() > self._patient_until
            if late:
                self.get_logger().warning(
                    f"only {came} of {self._readers} readers of joint_commands came; answering without the others"
                )
            if late or came >= self._readers:
                self._readers = 0
        return not self._readers

    def _all_there(self, now: int) -> bool:
        """Whether all is there that the answer to a state depends on."""
        law = self.controller.law
        return (
            self.controller.has_reference(now)
            and (self._contacts_of == now or not law.reads_contacts)
            and (self._odometry_of >= now - ODOMETRY_DELAY or not law.reads_odometry)
        )

    def _arrived(self) -> None:
        """Something has come on which answers depend. Once all has, if late, lockstep waits for it again."""
        if not self._lockstep:
            return
        if self._given_up and self._all_there(self.now):
            self._given_up = False
        if self._pending:
            self._answer()

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
    def law_report(self) -> LawReport:
        """What the law did in the last answer; nothing where the answer was not its own."""
        return self.controller.law.report if self.controller.in_force else LawReport("")

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

    def _on_reference(self, sent: tuple[str, Horizon]) -> None:
        sender, horizon = sent
        controller = self.controller
        if self.motion not in MOVING_STATES or not self.gait.accept(
            sender, allow_takeover=not controller.has_reference(self.now)
        ):
            return
        controller.take(horizon)
        self._arrived()

    def _on_contacts(self, seen: tuple[int, tuple[Contact, ...]]) -> None:
        self._contacts_of, self._contacts = seen
        self._arrived()

    def _on_odometry(self, moved: BaseMotion) -> None:
        self._odometry_of = moved.time_ns
        self._odometry.append(moved)
        self._arrived()

    def _complain(self, sentence: str) -> None:
        self._report.complain(sentence)


def main() -> None:
    run_node(ControllerNode, spinner=lambda node: PriorityExecutor(node, node.hot))
