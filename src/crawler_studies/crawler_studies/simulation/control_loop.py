"""A ring in one process and without ROS: a backend behind its supervisor, and a law that answers each of its states."""

from __future__ import annotations

from collections import deque

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.gait_metrics.heading import AHEAD, Heading
from crawler_core.loop.backend import Backend
from crawler_core.loop.supervised_backend import Runner
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.supervisor import Supervisor
from crawler_core.types import JointCommand, Observation
from gait_generators.kinds.gait import Gait
from gait_generators.transitions.gait_stream import GRID, GaitStream
from hybrid_controller.controller import ODOMETRY_DELAY, Controller
from hybrid_controller.laws.law import BaseMotion, Law
from hybrid_controller.reference.horizon import Horizon


class ControlLoop:
    """Every `tick` is one of the ring in lockstep. A fault, of the backend or the supervisor, is a BackendFault."""

    def __init__(self, spec: RobotSpec, gait: Gait, law: Law, backend: Backend, dt_ns: int) -> None:
        """Open the backend, which whoever made it closes, and enable motion. Raises UserError or BackendFault."""
        dt = dt_ns * 1e-9
        self._spec, self._actuated, self._blank = spec, spec.actuated_indices, np.full(len(spec.actuated), np.nan)
        self._controller = Controller(spec, law, dt_ns)
        self._runner = Runner(backend, Supervisor(spec, dt), dt)
        self._runner.open()
        self._runner.enable()
        pose = self._runner.observation.position[self._actuated]
        self._stream = GaitStream(spec, gait, 0, pose, GRID)
        self._due = 0
        self._odometry: deque[BaseMotion] = deque()

    @property
    def seen(self) -> Observation:
        """The newest state."""
        return self._runner.observation

    def tick(self) -> Observation:
        """ControlOutput the newest state and let one tick pass."""
        seen, controller = self.seen, self._controller
        if seen.time_ns >= self._due:
            points = self._stream.points(seen.time_ns)
            controller.take(Horizon(*vars(points).values()))
            self._due = seen.time_ns + GRID.behind
        position, velocity = seen.position[self._actuated].tolist(), seen.velocity[self._actuated].tolist()
        answer = controller.step(seen.time_ns, position, velocity, seen.contacts, self._past_odometry(seen))
        command = None
        if answer is not None:
            setpoint = answer.setpoint
            effort = np.array(setpoint.effort) if setpoint.effort else self._blank
            command = JointCommand(np.array(setpoint.position), np.array(setpoint.velocity), effort)
        self._runner.tick(command)
        report = self._runner.supervisor.report
        if report.fault:
            raise BackendFault(report.fault, remedy=report.remedy, joint=report.joint)
        return self.seen

    def _past_odometry(self, seen: Observation) -> list[BaseMotion]:
        if not self._controller.law.reads_odometry or seen.base is None:
            return []
        heading = Heading.of(seen.base.quaternion) if "yaw" in self._spec.base_motion else AHEAD
        self._odometry.append(BaseMotion(seen.time_ns, heading.along(*seen.base.linear[:2])))
        past = []
        while self._odometry and self._odometry[0].time_ns <= seen.time_ns - ODOMETRY_DELAY:
            past.append(self._odometry.popleft())
        return past
