"""The backend node: any Backend behind the topics of the stack.

A managed node. Configure opens the backend and checks it; activate enables motion and lets time run; deactivate brings
the joints to rest and stops time; cleanup closes. With `autostart` the first two happen at once.

Time runs in one of two ways. In lockstep every tick is the answer to a command that carries the stamp of the state it
answers, so a run depends on nothing but its inputs. Otherwise a thread paces the ticks on the steady clock.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.timer import Timer
from sensor_msgs.msg import JointState

from crawler_core.backend import Backend
from crawler_core.backend_settings import BackendSettings, check_time, robots_common, robots_own
from crawler_core.closure import closure_of
from crawler_core.errors import BackendFault, UserError
from crawler_core.runner import Runner
from crawler_core.supervisor import LATCHED, MotionState, Supervisor
from crawler_core.types import JointCommand, Observation
from crawler_nodes.backend_services import BackendServices
from crawler_nodes.backend_topics import BackendTopics
from crawler_nodes.diagnostics import ERROR, OK, WARN, DiagnosticsReporter
from crawler_nodes.messages import CommandReader, stamp_ns
from crawler_nodes.node_main import run_node
from crawler_nodes.ros_parameters import declare, refuse_unknown, robot_of
from crawler_nodes.timekeeping import Lockstep, Paced

PATIENCE = 15.0  # s of wall time that the start waits for readers
SETTLING = 0.2  # s more, since those who listen to us may not have found each other yet


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
        self.overruns = 0
        self.trouble = ""  # why it could not be configured or activated, in a sentence
        self._end_ns = round(settings.stop_at * 1e9) if settings.stop_at else None
        self.lock = threading.RLock()  # guards the runner between the pacing thread and the services
        self._command: JointCommand | None = None
        self._reader = CommandReader(self.spec)
        self._topics = BackendTopics(self, self.spec, backend.simulated)
        self.commands = self.create_subscription(JointState, "joint_commands", self._on_command, 10)
        BackendServices(self)  # kept by the services that it makes
        self._diagnostics = DiagnosticsReporter(self, hardware_id=self.spec.name)
        self._time: Lockstep | Paced | None = None
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
            self.runner.enable()
        except BackendFault as error:
            self.fail(error)
            return TransitionCallbackReturn.FAILURE
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
        elif self.settings.readers and self._settled is None:
            self._settled = now + SETTLING
        if self._settled is not None and now < self._settled:
            return
        self._end_start()
        self._time = Lockstep(self) if self.settings.lockstep else Paced(self)
        self._time.start()
        self.report()

    def _end_start(self) -> None:
        if self._starting is not None:
            self.destroy_timer(self._starting)
            self._starting = None

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._stop_time()
        if self._releases:
            self.runner.stop()  # no tick will come that takes the torque off
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.runner.close(release=self._releases)
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.leave_safe()
        return super().on_shutdown(state)

    def leave_safe(self) -> None:
        """Bring the joints to rest, then take the torque off or hold, as the robot file says. For every way out."""
        self._stop_time()
        self.runner.close(release=self._releases)

    @property
    def _releases(self) -> bool:
        return self.spec.safety.on_exit != "hold"

    def _stop_time(self) -> None:
        self._end_start()
        if self._time is None:
            return
        self._time.stop()
        self._time = None
        if self.spec.safety.on_exit == "release" or self.runner.supervisor.motion not in (
            MotionState.ACTIVE,
            MotionState.HOLDING,
        ):
            return
        try:
            for _ in range(round(0.5 * self.settings.rate)):  # joints brake in less than half a second
                self.runner.rest()
                if self.runner.at_rest:
                    break
                if not self.runner.backend.simulated:
                    time.sleep(self.dt_ns * 1e-9)
        except BackendFault as fault:
            self.get_logger().error(f"could not bring the joints to rest: {fault}")
        self.runner.supervisor.disable()

    def fail(self, error: Exception) -> None:
        """Say what went wrong, on the log and in diagnostics."""
        remedy = getattr(error, "remedy", "").rstrip(".")
        self.trouble = f"{str(error).rstrip('.')}{f': {remedy}' if remedy else ''}."
        self.get_logger().error(self.trouble)
        self._diagnostics.set(ERROR, str(error), {"remedy": remedy})

    @property
    def active(self) -> bool:
        """Whether time runs."""
        return self._time is not None

    # the ring

    def _on_command(self, message: JointState) -> None:
        try:
            command = self._reader.read(message)
        except UserError as error:
            self.runner.supervisor.refuse(str(error))
            self.report()
            return
        if isinstance(self._time, Lockstep):
            self._time.answer(stamp_ns(message.header.stamp), command)
        else:
            self._command = command

    def take_command(self) -> JointCommand | None:
        """The newest command since the last call."""
        command, self._command = self._command, None
        return command

    def tick(self, command: JointCommand | None) -> None:
        """One tick of the runner, and its result on the topics."""
        with self.lock:
            before = self.runner.supervisor.motion
            moved = self.runner.tick(command)
            after = self.runner.supervisor.motion
        self.ticks += 1
        if moved:
            self.publish(self.runner.observation)
        if after is not before or self.ticks % self._report_every == 0 or self.finished:
            self.report()
            if after is MotionState.FAULTED and before is not MotionState.FAULTED:
                report = self.runner.supervisor.report
                self.get_logger().error(f"{report.fault.rstrip('.')}. Remedy: {report.remedy.rstrip('.')}.")

    def crash(self, error: Exception) -> None:
        """Make the robot safe after an error that nobody foresaw, and say so."""
        with self.lock:
            remedy = "report this with the log, then restart the backend"
            self.runner.supervisor.fault(BackendFault(f"the backend broke: {error!r}", remedy=remedy))
            self.runner.stop()
        self.get_logger().fatal("".join(traceback.format_exception(error)))
        self.report()

    @property
    def finished(self) -> bool:
        """Whether the run has reached `stop_at`."""
        return self._end_ns is not None and self.ticks * self.dt_ns >= self._end_ns

    @property
    def _report_every(self) -> int:
        return max(1, round(self.settings.rate / 2))

    def publish(self, observation: Observation) -> None:
        """Send a state."""
        self._topics.publish(observation, self.settings)

    def report(self) -> None:
        """Say in diagnostics how things are."""
        supervisor = self.runner.supervisor
        report, motion = supervisor.report, supervisor.motion
        if motion in LATCHED:
            level, text = ERROR, report.fault
        elif motion in (MotionState.HOLDING, MotionState.RELAXED):
            level, text = WARN, "commands stopped coming: check the controller"
        elif report.refused or report.clamped:
            level, text = WARN, report.last_refusal or report.last_clamp
        else:
            level, text = OK, f"motion is {motion.value}"
        self._diagnostics.set(
            level,
            text,
            {
                "motion": motion.value,
                "remedy": report.remedy,
                "joint": report.joint,
                "rate": self.settings.rate,
                "ticks": self.ticks,
                "overruns": self.overruns,
                "late_ticks": report.late,
                "clamped": report.clamped,
                "last_clamp": report.last_clamp,
                "refused": report.refused,
                "last_refusal": report.last_refusal,
                **self.runner.health(),
            },
            now=self.finished,
        )


def run_backend(backend_class: Any, settings_class: type) -> None:
    """The main of a backend executable."""

    def make() -> BackendNode:
        node = BackendNode(backend_class, settings_class)
        if node.settings.autostart:
            autostart(node)
        return node

    run_node(make, leave=BackendNode.leave_safe, hot=lambda node: [node.commands])


def autostart(node: BackendNode) -> None:
    """Configure and activate at once. Raises UserError where either fails."""
    steps: tuple[Callable[[], TransitionCallbackReturn], ...] = (node.trigger_configure, node.trigger_activate)
    for step in steps:
        if step() is not TransitionCallbackReturn.SUCCESS:
            raise UserError(node.trouble or "the backend could not be started, see above.")
