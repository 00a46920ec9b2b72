"""The control loop in one process, without ROS: a supervised backend and the law that answers each of its states."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from crawler_core.gait_metrics.heading import WORLD_HEADING, Heading
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.supervisor import SupervisorReport
from crawler_core.types import JointCommand, Observation
from crawler_models.estimation.base_motion import BaseMotion
from crawler_models.estimation.robot_estimator import RobotEstimator
from crawler_models.interface.estimator import StateEstimate
from gait_generators.kinds.gait import Gait
from gait_generators.steering.trimmed_steering import TrimmedSteering
from gait_generators.steering.velocity_command import VelocityCommand
from gait_generators.steering.velocity_steering import SteeredCommand
from gait_generators.transitions.gait_stream import DEFAULT_GRID, GaitStream
from hybrid_controller.controller import Controller
from hybrid_controller.estimation.odometry_delay import OdometryDelay
from hybrid_controller.laws.law import Law
from hybrid_controller.reference.horizon import Horizon


class ControlLoop:
    """A law in lockstep with a backend. A fault of the backend or the supervisor is a BackendFault."""

    def __init__(
        self,
        spec: RobotSpec,
        gait: Gait,
        law: Law,
        backend: SupervisedBackend,
        dt_ns: int,
        estimator: RobotEstimator | None = None,
    ) -> None:
        """Begin at the present pose of a `backend` whose motion is enabled, and with the gait's phase 0.

        The `estimator` gives the odometry for a law that reads it, and `estimate` for the caller. Raises UserError.
        """
        self.dt_ns = dt_ns
        self._spec, self._actuated = spec, spec.actuated_indices
        self._no_effort = np.full(len(spec.actuated), np.nan)
        self._controller = Controller(spec, law, dt_ns)
        self._backend = backend
        state = backend.observation
        self._gait_stream = GaitStream(spec, gait, state.time_ns, state.position[self._actuated], DEFAULT_GRID)
        self._next_horizon_ns: float = 0  # infinite once the gait has ended
        self._odometry_delay = OdometryDelay()
        self._estimator = estimator
        self._steering: TrimmedSteering | None = None
        self._update_estimator()

    @property
    def observation(self) -> Observation:
        """The newest state."""
        return self._backend.observation

    @property
    def estimate(self) -> StateEstimate | None:
        """The estimate of the base in the newest state; None without an estimator."""
        return None if self._estimator is None else self._estimator.estimate()

    @property
    def supervisor_report(self) -> SupervisorReport:
        """What the supervisor changed or stopped so far."""
        return self._backend.supervisor.report

    def end_gait(self) -> None:
        """Send no further references: the last horizon runs out, as where the gait node ends."""
        self._next_horizon_ns = math.inf

    def steer(self, steering: TrimmedSteering, forward: float, yaw: float = 0.0) -> SteeredCommand:
        """Move at a velocity (m/s, rad/s to the left) from the newest state on, as cmd_vel has the gait node do it.

        The loop over the speed follows the estimate of the base, or the truth where there is no estimator.
        """
        self._steering = steering
        return self._follow(steering.execute(VelocityCommand(forward, yaw)))

    def _follow(self, command: SteeredCommand) -> SteeredCommand:
        now_ns = self.observation.time_ns
        self._gait_stream.steer(command.gait, command.rate, now_ns)
        self._next_horizon_ns = now_ns
        return command

    def _trim_speed(self, state: Observation) -> None:
        base = state.base if self.estimate is None else self.estimate.base
        if self._steering is not None and base is not None:
            x, y, _ = base.position
            heading = Heading.of(base.quaternion)
            if (changed := self._steering.measure(state.time_ns * 1e-9, x, y, heading)) is not None:
                self._follow(changed)

    def run(self, ticks: int) -> Iterator[Observation]:
        """Yield the newest state, and the states of the next `ticks`."""
        yield self.observation
        for _ in range(ticks):
            yield self.tick()

    def tick(self) -> Observation:
        """Answer the newest state, let one tick pass and return the state after it."""
        state = self.observation
        if state.time_ns >= self._next_horizon_ns:
            self._controller.reference.add(Horizon(*vars(self._gait_stream.points(state.time_ns)).values()))
            self._next_horizon_ns = state.time_ns + DEFAULT_GRID.behind
        after = self._backend.step(self._answer(state))
        self._update_estimator()
        self._trim_speed(after)
        return after

    def _answer(self, state: Observation) -> JointCommand | None:
        position, velocity = state.position[self._actuated].tolist(), state.velocity[self._actuated].tolist()
        odometry = self._past_odometry(state)
        answer = self._controller.step(state.time_ns, position, velocity, state.contacts, odometry, state.readings)
        if answer is None:
            return None
        setpoint = answer.setpoint
        effort = np.array(setpoint.effort) if setpoint.effort else self._no_effort
        return JointCommand(np.array(setpoint.position), np.array(setpoint.velocity), effort)

    def _past_odometry(self, state: Observation) -> list[BaseMotion]:
        """Return the odometry that has become as old as the law gets it in the stack."""
        estimate = self.estimate if self._controller.law.reads_odometry else None
        if estimate is None:
            return []
        base = estimate.base
        heading = Heading.of(base.quaternion) if "yaw" in self._spec.base_motion else WORLD_HEADING
        self._odometry_delay.add(BaseMotion(state.time_ns, heading.forward(*base.linear[:2])))
        return self._odometry_delay.take(state.time_ns)

    def _update_estimator(self) -> None:
        if self._estimator is not None:
            self._estimator.update(self.observation)
