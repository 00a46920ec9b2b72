"""The backend node: any Backend behind the topics of the stack.

A managed node. Configure opens the backend and checks it; activate enables motion and lets time run; deactivate brings
the joints to rest and stops time; cleanup closes. With `autostart` the first two happen at once.

Time runs in one of two ways. In lockstep every tick is the answer to a command that carries the stamp of the state it
answers, so a run depends on nothing but its inputs. Otherwise a thread paces the ticks on the steady clock.
"""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.timer import Timer
from sensor_msgs.msg import JointState

from crawler_core.loop.backend import Backend
from crawler_core.loop.backend_settings import BackendSettings, check_time, robots_common, robots_own
from crawler_core.linkages.loop_closure_solver import closure_of
from crawler_core.errors import BackendFault, UserError
from crawler_core.loop.supervised_backend import Runner
from crawler_core.safety.supervisor import MOVING, MotionState, Supervisor
from crawler_core.types import JointCommand, Observation
from crawler_nodes.backend_node.publishers import BackendPublishers
from crawler_nodes.backend_node.report import BackendReport
from crawler_nodes.backend_node.scheduler import LockstepScheduler, RealTimeScheduler
from crawler_nodes.backend_node.services import BackendServices, PriorityLock
from crawler_nodes.backend_node.stamp_window import StampWindow
from crawler_nodes.messages.header import CommandMessage, CommandReader
from crawler_nodes.messages.joint_message import JointMessageReader
from crawler_nodes.node_main import run_node
from crawler_nodes.parameters import declare, refuse_unknown, robot_of
from crawler_nodes.transport.duplicate_stack_check import already_there, ring_nodes
from crawler_nodes.transport.message_source import SourceArbiter, own_name, publishers
from crawler_nodes.transport.priority_executor import PriorityExecutor
from crawler_nodes.transport.safe_subscriptions import SafeSubscriptions

PATIENCE = 15.0  # s of wall time that the start waits for readers, and then the torque for a first command
SETTLING = 0.2  # s more, until all who are there have found each other and us
WARY = 1.0  # s of its time in which a backend gives way to another of its name, which a busy machine may show late


class BackendNode(LifecycleNode):
    """Wires one backend to topics, services and parameters."""

    def __init__(self, backend_class: Any, settings_class: type, **node_options: Any) -> None:
        super().__init__("backend", **node_options)
        self.spec = robot_of(self)
        common = robots_common(self.spec, backend_class.kind, settings_class)
        self.settings = declare(self, BackendSettings, common, check=check_time, on_change=self._change)
        settings = self.settings
        check_time(settings)
        own: Any = declare(self, settings_class, robots_own(self.spec, backend_class.kind, settings_class))
        refuse_unknown(self, section="backend")
        self.dt_ns = round(1e9 / settings.rate)
        dt = self.dt_ns * 1e-9
        backend: Backend = backend_class(self.spec, own, dt)
        if settings.lockstep and not backend.simulated:
            raise UserError(f"backend.lockstep = true needs a simulation; with {backend.kind} time passes by itself.")
        self.runner = Runner(backend, Supervisor(self.spec, dt), dt, closure_of(self.spec))
        self.ticks = 0
        self.overruns = 0  # how often time was given up since ticks took too long
        self.waited = 0  # ticks of a paced simulation that waited for their command
        self.standing = ""  # why its time stands still, and what to do, in a sentence
        self.trouble = ""  # why it could not be configured or activated, in a sentence
        self._end_ns = round(settings.stop_at * 1e9) if settings.stop_at else None
        self.lock = PriorityLock()
        name, safety = own_name(self), self.spec.safety
        self._topics = BackendPublishers(self, self.spec, backend.simulated, name)
        self._questions = StampWindow(name, safety.command_timeout + dt)
        self._commander = SourceArbiter(
            max(safety.relax_after, settings.lockstep_timeout if settings.lockstep else 0.0)
        )
        hearing = SafeSubscriptions(self, self._refuse)
        read, decode = CommandReader(self.spec).read, JointMessageReader()
        self.commands = hearing.listen(JointState, "joint_commands", read, self._on_command, decode=decode)
        self.urgent = [BackendServices(self).estop]
        self._report = BackendReport(self, self.spec.name, self._commander, self._topics.announce, self._topics.own)
        self._time: LockstepScheduler | RealTimeScheduler | None = None
        self._broken = False  # by an error that nobody foresaw
        self._began = 0.0  # s on the steady clock, when time did
        self._starting: Timer | None = None

    def _change(self, settings: BackendSettings) -> None:
        self.settings = settings

    # managed node

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            self.runner.open()
        except (UserError, BackendFault) as error:
            self.fail(error)
            return TransitionCallbackReturn.FAILURE
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            self.runner.enable(PATIENCE)
        except BackendFault as error:
            self.fail(error)
            return TransitionCallbackReturn.FAILURE
        self._report.failure = None
        self.standing = ""
        self._patience = time.monotonic() + PATIENCE
        self._settled: float | None = None
        self._starting = self.create_timer(0.01, self._start_time, clock=Clock(clock_type=ClockType.STEADY_TIME))
        return super().on_activate(state)

    def _start_time(self) -> None:
        """Start as soon as everybody listens."""
        listening = self._topics.readers
        now = time.monotonic()
        if listening < self.settings.readers:
            if now < self._patience:
                return
            self.get_logger().warning(
                f"only {listening} of {self.settings.readers} readers of joint_states came; starting without the others"
            )
        elif self._settled is None:
            self._settled = now + SETTLING
        if self._settled is not None and now < self._settled:
            return
        self._end_start()
        self._refuse_a_second()
        with self.lock:
            self.runner.go_on(PATIENCE)
        self._time = LockstepScheduler(self) if self.settings.lockstep else RealTimeScheduler(self)
        self._began = time.monotonic()
        self._time.start()
        self._starting = self.create_timer(0.1, self._stay_wary, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.report()

    def _refuse_a_second(self) -> None:
        """Raise UserError where there is another: two times and states under one name would break both rings."""
        if len(publishers(self, "joint_states")) > 1:
            raise already_there(ring_nodes(self), "give this one another namespace (--namespace NAME, namespace:=NAME)")

    def _stay_wary(self) -> None:
        """Whoever has been commanded for a while was first; at once, where the other has another name."""
        if not self._report.commanded:
            self._refuse_a_second()
        elif time.monotonic() - self._began > WARY:
            self._end_start()
        elif publishers(self, "joint_states").count(self.get_fully_qualified_name()) > 1:
            self._refuse_a_second()

    def _end_start(self) -> None:
        if self._starting is not None:
            self.destroy_timer(self._starting)
            self._starting = None

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._stop_time()
        if self._releases:
            self.runner.stop()  # no tick will come that takes the torque off
        self.standing = "the backend is inactive, and its time stands still: activate it"
        self.report()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.runner.close(release=self._releases)
        self.standing = "the backend is inactive and closed: configure and activate it"
        self.report()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.leave_safe()
        self.standing = "the backend was shut down and is inactive for ever: start it anew"
        self.report()
        return super().on_shutdown(state)

    def leave_safe(self) -> None:
        """Bring the joints to rest, then take the torque off or hold, as the robot file says. For every way out."""
        try:
            self._stop_time()
        finally:
            self.runner.close(release=self._releases)

    @property
    def _releases(self) -> bool:
        return self.spec.safety.on_exit != "hold"

    def release_torque(self) -> None:
        """Take the torque off motors, from any thread and whatever the others are doing; for a process that hangs."""
        if self.runner.backend.simulated:
            return
        if self._time is not None:
            self._time.abandon()
        if self._releases:
            self.runner.supervisor.disable()
            self.runner.stop()

    def end(self) -> None:
        """The run on motors has reached its end: come to rest and let go, whoever may command or watch them."""
        if self._broken:
            return
        self._brake()
        if self._releases:
            with self.lock:
                self.runner.stop()
        self.get_logger().info(f"{self._report.over}: motion is {self.runner.supervisor.motion.value}")
        self.report()

    def _stop_time(self) -> None:
        self._end_start()
        if self._time is None:
            return
        self._time.stop()
        self._time = None
        self._brake()

    def _brake(self) -> None:
        """Bring the joints to rest, unless they shall lose their torque at once; no command moves them any more."""
        if self.runner.supervisor.motion not in MOVING:
            return
        if self.spec.safety.on_exit != "release":
            self._come_to_rest()
        self.runner.supervisor.disable()

    def _come_to_rest(self) -> None:
        try:
            for _ in range(round(0.5 * self.settings.rate)):  # joints brake in less than half a second
                with self.lock.tick():
                    if self.runner.supervisor.motion not in MOVING:
                        return  # an emergency stop came in between
                    self.runner.rest()
                if self.runner.at_rest:
                    break
                if not self.runner.backend.simulated:
                    time.sleep(self.dt_ns * 1e-9)
        except Exception as error:  # whatever it is, the torque must go off all the same
            self.get_logger().error(f"could not bring the joints to rest: {error}")

    def fail(self, error: Exception) -> None:
        """Say what went wrong, on the log and in diagnostics."""
        remedy = getattr(error, "remedy", "").rstrip(".")
        self.trouble = f"{str(error).rstrip('.')}{f': {remedy}' if remedy else ''}."
        self.get_logger().error(self.trouble)
        self._report.failure = error
        self.report()

    @property
    def active(self) -> bool:
        """Whether time runs."""
        return self._time is not None

    # the ring

    def _on_command(self, command: CommandMessage) -> None:
        if not self._commander.admits(command.sender):
            return
        try:
            self._questions.check(command.backend, command.stamp)
        except UserError as error:
            self._refuse(str(error))
            return
        self._report.commanded = time.monotonic()
        if self._time is not None:
            self._time.answer(command.stamp, command.setpoints)

    def _refuse(self, reason: str) -> None:
        self.runner.supervisor.refuse(reason)
        self._report.soon()

    @property
    def due(self) -> float:
        """When the next tick may begin for which all is there, s on the steady clock; infinity where none may."""
        return math.inf if self._time is None else self._time.due

    def turn(self) -> None:
        """Let a tick pass that is due."""
        if self._time is not None:
            self._time.turn()

    def tick(self, command: JointCommand | None) -> None:
        """One tick of the runner, and its result on the topics."""
        before = self.runner.supervisor.motion
        try:
            with self.lock.tick():
                moved = self.runner.tick(command)
        except Exception as error:  # whatever it is, the motors must not be left without a guard
            self.crash(error)
            return
        after = self.runner.supervisor.motion
        self.ticks += 1
        if moved:
            self.publish(self.runner.observation)
        if after is not before or self.finished:
            self.report()
            if after is MotionState.FAULTED and before is not MotionState.FAULTED:
                report = self.runner.supervisor.report
                self.get_logger().error(f"{report.fault.rstrip('.')}. Remedy: {report.remedy.rstrip('.')}.")

    def crash(self, error: Exception) -> None:
        """Make the robot safe after an error that nobody foresaw, and say so."""
        self._broken = True
        with self.lock:
            remedy = "report this with the log, then restart the backend"
            self.runner.supervisor.fault(BackendFault(f"the backend broke: {error!r}", remedy=remedy))
            self.runner.stop()
        self.get_logger().fatal("".join(traceback.format_exception(error)))
        self.report()

    @property
    def broken(self) -> bool:
        """Whether an error that nobody foresaw has ended it."""
        return self._broken

    @property
    def finished(self) -> bool:
        """Whether time stands still from here on: the run has reached `stop_at`, or the backend broke."""
        if self._broken or self._end_ns is None or self._time is None:
            return self._broken
        if self.runner.backend.simulated:
            return self.ticks * self.dt_ns >= self._end_ns
        return time.monotonic() - self._began >= self._end_ns * 1e-9  # however many ticks were lost

    def publish(self, observation: Observation) -> None:
        """Send a state."""
        self._questions.ask(observation.time_ns)
        self._report.stated = time.monotonic()
        self._topics.publish(observation, self.settings)

    def report(self) -> None:
        """Say in diagnostics how things are."""
        self._report.say(now=self.finished)


def run_backend(backend_class: Any, settings_class: type) -> None:
    """The main of a backend executable."""

    def make() -> BackendNode:
        node = BackendNode(backend_class, settings_class)
        if node.settings.autostart:
            autostart(node)
        return node

    def loop(node: BackendNode) -> PriorityExecutor:
        return PriorityExecutor(node, [node.commands], urgent=node.urgent, chore=node)

    moves = not backend_class.simulated
    run_node(make, leave=BackendNode.leave_safe, release_torque=BackendNode.release_torque, moves=moves, spinner=loop)


def autostart(node: BackendNode) -> None:
    """Configure and activate at once. Raises UserError where either fails."""
    steps: tuple[Callable[[], TransitionCallbackReturn], ...] = (node.trigger_configure, node.trigger_activate)
    for step in steps:
        if step() is not TransitionCallbackReturn.SUCCESS:
            raise UserError(node.trouble or "the backend could not be started, see above.")
