"""One tick of a supervised backend: decide, apply, advance, observe. No ROS, so that every backend is tested alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from crawler_core.errors import BackendFault
from crawler_core.linkages.loop_closure_solver import LoopClosureSolver, make_loop_closure_solver
from crawler_core.loop.backend import Backend, ImperfectBackend, Recoverable, SteppedEncoders, WarningBackend
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.supervisor import MOVING_STATES, Supervisor
from crawler_core.sensors.robot_sensors import RobotSensors
from crawler_core.types import JointCommand, Observation


class SupervisedBackend:
    """A backend and its supervisor. `observation` is the newest state, `applied` the last command to the joints.

    A backend that does not know the passive joints of the robot's loops reports NaN, and the loop closure solver fills
    them in.
    """

    def __init__(
        self,
        backend: Backend,
        supervisor: Supervisor,
        dt: float,
        loop_closure: LoopClosureSolver | None = None,
        clock: Callable[[], float] | None = None,
        sensors: RobotSensors | None = None,
    ) -> None:
        """`clock` (s) times the ticks where time passes by itself."""
        self.backend = backend
        self.sensors = sensors
        self.supervisor = supervisor
        self.applied: JointCommand | None = None
        self._imperfect = backend if isinstance(backend, ImperfectBackend) else None
        self._dt = dt
        self._loop_closure = loop_closure
        self._clock = clock or time.monotonic
        self._last_tick_time: float | None = None  # s, where time passes by itself
        self._last_tick_ns: int | None = None  # in a simulation
        self._is_relaxed = True
        self.observation: Observation

    @staticmethod
    def start(spec: RobotSpec, backend: Backend, dt: float, sensors: RobotSensors | None = None) -> SupervisedBackend:
        """Open a backend of this robot, with its loops closed, and allow motion; the caller closes it, come what may.

        `dt` is the tick in s. Raise UserError or BackendFault.
        """
        closure = make_loop_closure_solver(spec)
        supervised = SupervisedBackend(backend, Supervisor(spec, dt), dt, closure, sensors=sensors)
        supervised.open()
        supervised.enable()
        return supervised

    def open(self) -> None:
        """Connect the backend and observe it once."""
        self.backend.open()
        if isinstance(self.backend, SteppedEncoders):
            self.supervisor.set_angle_steps(self.backend.angle_steps())
        if self.sensors is not None:
            self.sensors.restart()
        self.observation = self._observe()

    def enable(self, patience: float = 0.0) -> None:
        """Allow motion from the measured pose; `patience` (s) is for the first command.

        Raise BackendFault while a stop is latched.
        """
        self.observation = self._observe()
        self.supervisor.enable(self.observation, patience)
        self._last_tick_time = self._last_tick_ns = None

    def resync(self, patience: float = 0.0) -> None:
        """Begin motion that was allowed some time ago from the present pose; a fault latches.

        The joints may have sagged or been moved meanwhile. A simulated robot has stood still, since its time has.
        """
        if self.backend.simulated or self.supervisor.motion not in MOVING_STATES:
            return
        self.supervisor.disable()
        try:
            self.enable(patience)
        except BackendFault as fault:
            self.supervisor.fault(fault)
            self.stop()

    def reset(self) -> None:
        """Clear a latched stop, in the devices too. Raise BackendFault where they do not recover; the stop stays."""
        if isinstance(self.backend, Recoverable):
            self.backend.recover()
        self.supervisor.reset()

    def health(self) -> Mapping[str, object]:
        """Return the condition of the devices and the sensors, for diagnostics."""
        devices = self.backend.health() if isinstance(self.backend, Recoverable) else {}
        return devices if self.sensors is None else {**devices, **self.sensors.health()}

    @property
    def warning(self) -> str:
        """What is wrong with the devices, but no fault; empty without that."""
        return self.backend.warning() if isinstance(self.backend, WarningBackend) else ""

    def tick(self, command: JointCommand | None, age: float = 0.0) -> bool:
        """Let one tick pass, with a command that came `age` s ago.

        Return False when the backend failed: then `observation` is still the old one.
        """
        try:
            self._apply(self.supervisor.decide(self.observation, command, self._elapsed(), age))
            self.backend.advance(self._dt)
            self.observation = self._observe()
        except BackendFault as fault:
            self.supervisor.fault(fault)
            self.stop()
            return False
        if self.sensors is not None and (failure := self.sensors.fault) and self.supervisor.motion in MOVING_STATES:
            self.supervisor.fault(failure)
            self.stop()
        return True

    def step(self, command: JointCommand | None) -> Observation:
        """Let one tick pass and return the state after it. Raise BackendFault while a stop is latched."""
        self.tick(command)
        if fault := self.latched_fault:
            raise fault
        return self.observation

    @property
    def latched_fault(self) -> BackendFault | None:
        """The cause of a latched stop; None without one."""
        report = self.supervisor.report
        return BackendFault(report.fault, remedy=report.remedy, joint=report.joint) if report.fault else None

    def rest(self) -> None:
        """Take one tick towards rest, for an orderly end. Raise BackendFault."""
        self._apply(self.supervisor.rest(self.observation))
        self.backend.advance(self._dt)
        if self.supervisor.has_effort_joints:  # their braking depends on the measured velocity
            self.observation = self._observe()

    @property
    def at_rest(self) -> bool:
        """True once the joints have been brought to rest."""
        return self.supervisor.at_rest(self.observation)

    def stop(self) -> BackendFault | None:
        """Take the torque off now, without waiting for the next tick. Return why it could not be taken off."""
        failure: BackendFault | None = None
        try:
            self.backend.relax()
        except BackendFault as fault:
            failure = fault
            self.supervisor.torque_off_failed(fault)
        self.applied = None
        self._is_relaxed = True
        return failure

    def close(self, release: bool) -> None:
        """Close the backend; with `release` the torque goes off first, whatever happened before."""
        try:
            if release:
                self.stop()
        finally:
            self.backend.close()

    def _elapsed(self) -> float:
        """Return the time since the tick before (s)."""
        if self.backend.simulated:  # emulated motors may take longer for a tick than dt
            now_ns = self.observation.time_ns
            before_ns, self._last_tick_ns = self._last_tick_ns, now_ns
            return self._dt if before_ns is None else max(self._dt, 1e-9 * (now_ns - before_ns))
        now = self._clock()
        before, self._last_tick_time = self._last_tick_time, now
        return self._dt if before is None else now - before

    def _observe(self) -> Observation:
        seen = self.backend.observe()
        try:
            complete = seen if self._loop_closure is None else self._loop_closure.complete_observation(seen)
        except ValueError as error:
            remedy = "check the angles of the joints that drive it and the lengths in the robot file"
            raise BackendFault(str(error).rstrip("."), remedy=remedy) from None
        return complete if self.sensors is None else self.sensors.observe(complete, self._truth(complete))

    def _truth(self, seen: Observation) -> Observation:
        """Return the state with the joints as they are, where the backend knows more than it measures."""
        if self._imperfect is None:
            return seen
        truth = self._imperfect.truth()
        return truth if self._loop_closure is None else self._loop_closure.complete_observation(truth)

    def _apply(self, decision: JointCommand | None) -> None:
        if decision is not None:
            self.applied = self.backend.apply(decision)
            self._is_relaxed = False
        elif not self._is_relaxed:
            self.applied = None
            self.backend.relax()
            self._is_relaxed = True
