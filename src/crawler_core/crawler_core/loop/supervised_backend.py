"""One tick of a guarded backend: decide, apply, advance, observe. No ROS, so that every backend is tested alike."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.linkages.loop_closure_solver import LoopClosureSolver
from crawler_core.loop.backend import Backend, Recoverable
from crawler_core.safety.supervisor import MOVING_STATES, Supervisor
from crawler_core.types import JointCommand, Observation


class SupervisedBackend:
    """A backend and its supervisor. `observation` is the newest state, `applied` what the joints were last told.

    A backend that does not know the passive joints of the robot's loops reports them as NaN; `closure` fills them in,
    so that everybody after has them.
    """

    def __init__(
        self,
        backend: Backend,
        supervisor: Supervisor,
        dt: float,
        closure: LoopClosureSolver | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """`clock` (s) tells how late ticks are where time passes by itself."""
        self.backend = backend
        self.supervisor = supervisor
        self.applied: JointCommand | None = None
        self._dt = dt
        self._closure = closure
        self._clock = clock or time.monotonic
        self._ticked: float | None = None  # s, when the last tick began
        self._relaxed = True
        self.observation: Observation

    def open(self) -> None:
        """Connect the backend and take a first look."""
        self.backend.open()
        self.observation = self._observe()

    def enable(self, patience: float = 0.0) -> None:
        """Allow motion from the measured pose; `patience` (s) is for the first command.

        Raises BackendFault while a stop is latched.
        """
        self.observation = self._observe()
        self.supervisor.enable(self.observation, patience)
        self._ticked = None

    def resync(self, patience: float = 0.0) -> None:
        """Motion that was allowed some time ago begins from where the joints are by now; a fault latches.

        They may have sagged, or somebody may have moved them: nothing has told them where to be. A simulated robot has
        stood still, since its time has.
        """
        if self.backend.simulated or self.supervisor.motion not in MOVING_STATES:
            return
        self.supervisor.disable()
        try:
            self.enable(patience)
        except BackendFault as fault:
            self.supervisor.fault(fault)
            self._relax_quietly()

    def reset(self) -> None:
        """Clear a latched stop, in the devices too. Where they do not recover, BackendFault, and the stop stays."""
        if isinstance(self.backend, Recoverable):
            self.backend.recover()
        self.supervisor.reset()

    def health(self) -> Mapping[str, object]:
        """How the devices are, for diagnostics."""
        return self.backend.health() if isinstance(self.backend, Recoverable) else {}

    def tick(self, command: JointCommand | None) -> bool:
        """Let one tick pass. False when the backend could not: then `observation` is still the old one."""
        try:
            self._act(self.supervisor.decide(self.observation, command, self._passed()))
            self.backend.advance(self._dt)
            self.observation = self._observe()
        except BackendFault as fault:
            self.supervisor.fault(fault)
            self._relax_quietly()
            return False
        return True

    def _passed(self) -> float:
        """Seconds since the tick before."""
        if self.backend.simulated:
            return self._dt
        now = self._clock()
        before, self._ticked = self._ticked, now
        return self._dt if before is None else now - before

    def rest(self) -> None:
        """One tick towards rest, for an orderly end. Raises BackendFault."""
        self._act(self.supervisor.rest(self.observation))
        self.backend.advance(self._dt)
        if self.supervisor.has_effort_joints:  # braking goes by the velocity that is measured
            self.observation = self._observe()

    @property
    def at_rest(self) -> bool:
        """Whether the joints have been brought to rest."""
        return self.supervisor.at_rest(self.observation)

    def stop(self) -> BackendFault | None:
        """Take the torque off now; for e-stop, which cannot wait for the next tick. Returns why it could not."""
        return self._relax_quietly()

    def close(self, release: bool) -> None:
        """Let go of the backend; with `release` the torque goes off first, whatever happened before."""
        try:
            if release:
                self._relax_quietly()
        finally:
            self.backend.close()

    def _observe(self) -> Observation:
        seen = self.backend.observe()
        if self._closure is None or not (np.isnan(seen.position).any() or np.isnan(seen.velocity).any()):
            return seen
        try:
            position, velocity = self._closure.complete(seen.position, seen.velocity)
        except ValueError as error:
            remedy = "check the angles of the joints that drive it and the lengths in the robot file"
            raise BackendFault(str(error).rstrip("."), remedy=remedy) from None
        return dataclasses.replace(seen, position=position, velocity=velocity)

    def _act(self, decision: JointCommand | None) -> None:
        if decision is not None:
            self.applied = self.backend.apply(decision)
            self._relaxed = False
        elif not self._relaxed:
            self.applied = None
            self.backend.relax()
            self._relaxed = True

    def _relax_quietly(self) -> BackendFault | None:
        failed: BackendFault | None = None
        try:
            self.backend.relax()
        except BackendFault as fault:
            failed = fault
            self.supervisor.torque_off_failed(fault)
        self.applied = None
        self._relaxed = True
        return failed
