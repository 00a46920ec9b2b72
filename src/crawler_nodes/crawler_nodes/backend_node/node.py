"""The backend node: any Backend behind the topics of the stack.

A managed node. Configure opens the backend and checks it; activate enables motion and starts its time; deactivate
brings the joints to rest and stops its time; cleanup closes it. With `autostart` the first two happen at once.

Time advances in one of two ways. In lockstep a command that carries the stamp of the present state runs the next tick,
so a run depends on nothing but its inputs. Otherwise a thread paces the ticks on the steady clock.
"""

from __future__ import annotations

import math
import time
import traceback
from functools import partial
from typing import Any

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.subscription import Subscription

from crawler_core.errors import BackendFault, UserError
from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.loop.backend import Backend
from crawler_core.loop.backend_sensors import make_robot_sensors
from crawler_core.loop.backend_settings import (
    BackendSettings,
    check_time_settings,
    common_robot_settings,
    own_robot_settings,
)
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.reality.realistic_backend import make_realistic
from crawler_core.safety.supervisor import MOVING_STATES, MotionState, Supervisor
from crawler_core.sensors.robot_sensors import RobotSensors
from crawler_core.types import JointCommand, Observation
from crawler_models.estimation.robot_estimator import RobotEstimator
from crawler_nodes.backend_node.open_commands import OpenCommands
from crawler_nodes.backend_node.priority_lock import PriorityLock
from crawler_nodes.backend_node.publishers import BackendPublishers
from crawler_nodes.backend_node.report import BackendReport
from crawler_nodes.backend_node.scheduler import LockstepScheduler, RealTimeScheduler
from crawler_nodes.backend_node.services import BackendServices
from crawler_nodes.backend_node.stamp_window import StampWindow
from crawler_nodes.backend_node.startup import START_TIMEOUT_S, BackendStartup
from crawler_nodes.messages.command_reader import CommandMessage, CommandReader
from crawler_nodes.messages.external_pose import read_external_pose
from crawler_nodes.messages.joint_message import JointMessageReader
from crawler_nodes.node_main import run_node
from crawler_nodes.parameters import NodeParameters, robot_from_parameters
from crawler_nodes.rejection_log import RejectionLog
from crawler_nodes.topics import EXTERNAL_POSE, JOINT_COMMANDS, PER_TICK
from crawler_nodes.transport.message_source import instance_name
from crawler_nodes.transport.priority_executor import PriorityExecutor
from crawler_nodes.transport.safe_subscriptions import SafeSubscriptions
from crawler_nodes.transport.source_arbiter import SourceArbiter

BRAKING_S = 0.5  # of ticks, in which joints come to rest from any speed


class BackendNode(LifecycleNode):
    """Connects one backend to topics, services and parameters."""

    def __init__(self, backend_class: Any, settings_class: type, **node_options: Any) -> None:
        super().__init__("backend", **node_options)
        self.spec = robot_from_parameters(self)
        common = common_robot_settings(self.spec, backend_class.kind, settings_class)
        parameters = NodeParameters(self)
        self.settings = parameters.declare(BackendSettings, common, make=_check_settings, on_change=self._change)
        _check_settings(self.settings)
        own: Any = parameters.declare(settings_class, own_robot_settings(self.spec, backend_class.kind, settings_class))
        parameters.reject_unknown(section="backend")
        self.dt_ns = round(1e9 / self.settings.rate)
        dt = self.dt_ns * 1e-9
        plain: Backend = backend_class(self.spec, own, dt)
        backend = make_realistic(plain, self.spec, self.settings.reality, dt, self.settings.seed)
        if self.settings.lockstep and not backend.simulated:
            raise UserError(f"backend.lockstep = true is not allowed with {backend.kind}: it needs a simulation.")
        sensors = make_robot_sensors(
            self.spec, backend, self.settings.reality, self.settings.seed, self.settings.sensor_fault
        )
        loop_closure = make_loop_closure_solver(self.spec)
        self.supervised = SupervisedBackend(backend, Supervisor(self.spec, dt), dt, loop_closure, sensors=sensors)
        self.estimator = RobotEstimator(self.spec, self.settings.estimator)
        self.lock = PriorityLock()

        self.ticks = 0
        self.overruns = 0  # how often time was given up, because ticks took too long
        self.blocked_ticks = 0  # ticks of a paced simulation that waited for their command
        self.idle_reason = ""  # why its time stands still, and what to do
        self.start_error = ""  # why it could not be configured or activated
        self._is_broken = False  # by an unexpected error
        self._end_ns = round(self.settings.stop_at * 1e9) if self.settings.stop_at else None
        self._started_at = 0.0  # s on the steady clock, when its time started
        self._scheduler: LockstepScheduler | RealTimeScheduler | None = None

        name, safety = instance_name(self), self.spec.safety
        lockstep_timeout = self.settings.lockstep_timeout if self.settings.lockstep else 0.0
        self._outputs = BackendPublishers(self, self.spec, backend.simulated, name, sensors)
        self.stamps = StampWindow(name, safety.command_timeout + dt)
        self._commander = SourceArbiter(max(safety.relax_after, lockstep_timeout))
        self._log = RejectionLog(self)
        subscriptions = SafeSubscriptions(self, self.reject_command)
        self.open_commands = OpenCommands(self, subscriptions) if self.settings.command_mode == "open" else None
        self.command_subscriptions: list[Subscription] = (
            self.open_commands.subscriptions
            if self.open_commands is not None
            else [
                subscriptions.subscribe(
                    JOINT_COMMANDS, CommandReader(self.spec).read, self._on_command, decode=JointMessageReader()
                )
            ]
        )
        if sensors is not None and (camera := external_sensor(sensors)):
            read = partial(read_external_pose, sensor=camera)
            subscriptions.subscribe(EXTERNAL_POSE, read, sensors.add, depth=PER_TICK)
        self._safety = BackendServices(self)
        self.priority_services = [self._safety.estop]
        commander = self._commander if self.open_commands is None else self.open_commands.arbiter
        self._report = BackendReport(self, commander, self._outputs)
        self._startup = BackendStartup(self, self._outputs, self._start_ticks)
        self._safety.open_socket()

    def destroy_node(self) -> None:
        self._safety.close()
        super().destroy_node()

    def _change(self, settings: BackendSettings) -> None:
        self.settings = settings

    # managed node

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            self.supervised.open()
        except (UserError, BackendFault) as error:
            self._fail_start(error)
            return TransitionCallbackReturn.FAILURE
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            self.supervised.enable(self.first_command_timeout_s)
        except BackendFault as error:
            self._fail_start(error)
            return TransitionCallbackReturn.FAILURE
        self._report.failure = None
        self.idle_reason = ""
        self._startup.begin()
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._stop_ticks()
        if self._releases_torque:
            self.supervised.stop()  # no tick will come that does it
        self.idle_reason = "the backend is inactive, and its time stands still: activate it"
        self.report()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.supervised.close(release=self._releases_torque)
        self.idle_reason = "the backend is inactive and closed: configure and activate it"
        self.report()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.shut_down_safely()
        self.idle_reason = "the backend was shut down and stays inactive: start it again"
        self.report()
        return super().on_shutdown(state)

    def _fail_start(self, error: Exception) -> None:
        remedy = getattr(error, "remedy", "").rstrip(".")
        self.start_error = f"{str(error).rstrip('.')}{f': {remedy}' if remedy else ''}."
        self.get_logger().error(self.start_error)
        self._report.failure = error
        self.report()

    def _start_ticks(self) -> None:
        with self.lock:
            self.supervised.resync(self.first_command_timeout_s)
        self._scheduler = LockstepScheduler(self) if self.settings.lockstep else RealTimeScheduler(self)
        self._started_at = time.monotonic()
        self._scheduler.start()
        self.report()

    # ways to stop

    def shut_down_safely(self) -> None:
        """Bring the joints to rest, then take the torque off or hold, as the robot file says. For every way out."""
        try:
            self._stop_ticks()
        finally:
            self.supervised.close(release=self._releases_torque)

    def release_torque(self) -> None:
        """Take the torque off motors, from any thread at any time; for a process that hangs."""
        if self.supervised.backend.simulated:
            return
        if self._scheduler is not None:
            self._scheduler.abandon()
        if self._releases_torque:
            self.supervised.supervisor.disable()
            self.supervised.stop()

    def finish_run(self) -> None:
        """End a run on motors at `stop_at`: bring the joints to rest and take the torque off."""
        if self._is_broken:
            return
        self._brake()
        if self._releases_torque:
            with self.lock:
                self.supervised.stop()
        self.get_logger().info(f"{self._report.end_text}: motion is {self.supervised.supervisor.motion.value}")
        self.report()

    def fail_safe(self, error: Exception) -> None:
        """Take the torque off after an unexpected error, and report it."""
        self._is_broken = True
        with self.lock:
            remedy = "report this with the log, then restart the backend"
            self.supervised.supervisor.fault(BackendFault(f"the backend broke: {error!r}", remedy=remedy))
            self.supervised.stop()
        self.get_logger().fatal("".join(traceback.format_exception(error)))
        self.report()

    @property
    def _releases_torque(self) -> bool:
        return self.spec.safety.on_exit != "hold"

    def _stop_ticks(self) -> None:
        self._startup.cancel()
        if self._scheduler is not None:
            self._scheduler.stop()
            self._scheduler = None
            self._brake()

    def _brake(self) -> None:
        """Bring the joints to rest, unless they shall lose their torque at once, and disable motion."""
        if self.supervised.supervisor.motion not in MOVING_STATES:
            return
        if self.spec.safety.on_exit != "release":
            try:
                self._run_braking_ticks()
            except Exception as error:  # after any error the torque must go off all the same
                self.get_logger().error(f"could not bring the joints to rest: {error}")
        self.supervised.supervisor.disable()

    def _run_braking_ticks(self) -> None:
        for _ in range(round(BRAKING_S * self.settings.rate)):
            with self.lock.tick():
                if self.supervised.supervisor.motion not in MOVING_STATES:
                    return  # an emergency stop came in between
                self.supervised.rest()
            if self.supervised.at_rest:
                return
            if not self.supervised.backend.simulated:
                time.sleep(self.dt_ns * 1e-9)

    # state

    @property
    def active(self) -> bool:
        """True while its time runs."""
        return self._scheduler is not None

    @property
    def broken(self) -> bool:
        """True after an unexpected error has ended it."""
        return self._is_broken

    @property
    def is_commanded(self) -> bool:
        """True once it has accepted a command."""
        return self._report.commanded_at > 0.0

    @property
    def time_factor(self) -> float:
        """Seconds of the run's time per second of wall time."""
        return self.settings.real_time_factor if self.supervised.backend.simulated else 1.0

    @property
    def published_s(self) -> float:
        """When the present state was published, s on the steady clock."""
        return self._report.published_at

    @property
    def first_command_timeout_s(self) -> float:
        """Seconds until the torque goes off where no command comes. A simulation waits for a user to start his node."""
        is_endless = self.open_commands is not None and self.supervised.backend.simulated
        return math.inf if is_endless else START_TIMEOUT_S

    @property
    def finished(self) -> bool:
        """True once its time has ended: the run has reached `stop_at`, or the backend broke."""
        if self._is_broken or self._end_ns is None or self._scheduler is None:
            return self._is_broken
        if self.supervised.backend.simulated:  # emulated buses may take longer for a tick
            return max(self.ticks * self.dt_ns, self.supervised.observation.time_ns) >= self._end_ns
        return time.monotonic() - self._started_at >= self._end_ns * 1e-9  # however many ticks were lost

    def report(self) -> None:
        """Update the diagnostics."""
        self._report.update(now=self.finished)

    # control loop

    def _on_command(self, command: CommandMessage) -> None:
        if not self._commander.accept(command.sender):
            return
        try:
            self.stamps.check(command.backend, command.stamp)
        except UserError as error:
            self.reject_command(str(error))
            return
        self._report.commanded_at = time.monotonic()
        if self._scheduler is not None:
            self._scheduler.submit(command.stamp, command.setpoints)

    def on_open_command(self, stamp: int) -> None:
        """Use a command of a user's own node; in lockstep it answers the present state, whatever its stamp."""
        self._report.commanded_at = time.monotonic()
        if isinstance(self._scheduler, RealTimeScheduler):
            self._scheduler.submit(stamp, None)
        elif self._scheduler is not None and self.open_commands is not None:
            command, _ = self.open_commands.next_command()
            if command is not None:
                self._scheduler.submit(self.supervised.observation.time_ns, command)

    def reject_command(self, reason: str) -> None:
        """Count a message that cannot be used, and report why."""
        self.supervised.supervisor.reject(reason)
        self.warn(reason)
        self._report.update_soon()

    def warn(self, sentence: str) -> None:
        """Log a warning, once for each reason."""
        self._log.warn(sentence)

    @property
    def due(self) -> float:
        """When the next tick may begin whose command has come, s on the steady clock; infinity where none may."""
        return math.inf if self._scheduler is None else self._scheduler.due

    def run_due(self) -> None:
        """Run the tick that is due, if any."""
        if self._scheduler is not None:
            self._scheduler.run_due()

    def tick(self, command: JointCommand | None, age_s: float = 0.0) -> None:
        """Run one tick, with a command of this age, and publish its state."""
        before = self.supervised.supervisor.motion
        try:
            with self.lock.tick():
                has_state = self.supervised.tick(command, age_s)
        except Exception as error:  # any error must leave the motors safe
            self.fail_safe(error)
            return
        self.ticks += 1
        if has_state:
            self.publish(self.supervised.observation)
        self._report_change(before)

    def _report_change(self, before: MotionState) -> None:
        after = self.supervised.supervisor.motion
        if after is before and not self.finished:
            return
        self.report()
        if after is MotionState.FAULTED and before is not MotionState.FAULTED:
            report = self.supervised.supervisor.report
            self.get_logger().error(f"{report.fault.rstrip('.')}. Remedy: {report.remedy.rstrip('.')}.")
        elif after is MotionState.RELAXED and before is not MotionState.RELAXED:
            self.get_logger().warning(f"{self.supervised.supervisor.timeout_reason}.")

    def publish(self, observation: Observation) -> None:
        """Publish a state, which commands may answer from now on."""
        self.stamps.add(observation.time_ns)
        self._report.published_at = time.monotonic()
        self._outputs.publish(observation)
        self.estimator.update(observation)
        self._outputs.publish_base(observation, self.estimator, self.settings)


def external_sensor(sensors: RobotSensors) -> str:
    """Return the sensor that the messages of external_pose are of, which no backend reads; empty where there is none.

    A message does not tell which of several it is of: it counts for the first.
    """
    found = (one.name for one in sensors.sensors if one.kind == "external_pose" and one.name not in sensors.own)
    return next(found, "")


def _check_settings(settings: BackendSettings) -> BackendSettings:
    check_time_settings(settings)
    return settings


def run_backend(backend_class: Any, settings_class: type) -> None:
    """Run a backend executable: its main."""

    def make() -> BackendNode:
        node = BackendNode(backend_class, settings_class)
        if node.settings.autostart:
            autostart(node)
        return node

    def make_executor(node: BackendNode) -> PriorityExecutor:
        return PriorityExecutor(
            node, node.command_subscriptions, priority_services=node.priority_services, periodic_task=node
        )

    run_node(
        make,
        cleanup=BackendNode.shut_down_safely,
        release_torque=BackendNode.release_torque,
        drives_motors=not backend_class.simulated,
        executor=make_executor,
    )


def autostart(node: BackendNode) -> None:
    """Configure and activate at once. Raises UserError where either fails."""
    for step in (node.trigger_configure, node.trigger_activate):
        if step() is not TransitionCallbackReturn.SUCCESS:
            raise UserError(node.start_error or "the backend could not be started: see the log above.")
