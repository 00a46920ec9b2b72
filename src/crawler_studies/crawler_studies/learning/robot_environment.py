"""A robot as a Gymnasium environment. Importing this module registers one for each installed robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from crawler_core.errors import BackendFault, UserError
from crawler_core.gait_metrics.ground_path import measure_ground_path
from crawler_core.gait_metrics.heading import Heading
from crawler_core.robot.robot_file import robot_names
from crawler_core.types import BaseState, FloatArray, Observation
from crawler_studies.learning.environment_step import EnvironmentStep, forward_minus_effort
from crawler_studies.learning.joint_actions import JointActions
from crawler_studies.learning.observation_vector import ObservationVector, upward
from crawler_studies.recordings.run_window import TIPPED_COSINE
from crawler_studies.simulation.robot import Robot, Settings

try:
    import gymnasium
except ImportError:
    raise ModuleNotFoundError(
        "gymnasium is not installed, and an environment needs it: `./crawler python -m pip install gymnasium`. "
        "crawler_studies.Robot does without.",
        name="gymnasium",
    ) from None

STEP_PERIOD_S = 0.02
EPISODE_STEPS = 500
MAX_SEED = 2**31 - 1


class RobotEnvironment(gymnasium.Env[FloatArray, FloatArray]):
    """A robot that learns to move forward. docs/python.md describes actions, observations and rewards.

    An episode ends where the robot falls or a fault is latched; `gymnasium.make` adds a limit of `EPISODE_STEPS`.
    `robot` is the robot itself, `observation_names` has a name for each number of an observation.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  as Gymnasium declares it

    def __init__(
        self,
        robot: str = "",
        backend: str = "",
        *,
        step_period: float = STEP_PERIOD_S,
        reward: Callable[[EnvironmentStep], float] = forward_minus_effort,
        settings: Settings | None = None,
        reality: str = "",
        rate: float | None = None,
        render_mode: None = None,
    ) -> None:
        """`step_period` (s) is that of actions, in whole ticks; `reward` values a step. The others are those of Robot.

        There is nothing to render. Raises UserError for what is unknown or not allowed.
        """
        self.robot = Robot(robot, backend, settings=settings, reality=reality, rate=rate)
        self.ticks_per_step = round(step_period / self.robot.dt)
        if self.ticks_per_step < 1:
            raise UserError(
                f"step_period = {step_period:g} is not allowed: it must be at least a tick, {self.robot.dt:g} s."
            )
        self.render_mode = render_mode
        self._reward = reward
        self._actions = JointActions(self.robot.spec, self.robot.dt)
        self._vector = ObservationVector(self.robot.spec)
        self.observation_names = self._vector.names
        self._efforts = np.array([joint.effort or np.inf for joint in self.robot.spec.actuated])  # N m, the limits
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (len(self._efforts),), np.float64)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (len(self.observation_names),), np.float64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[FloatArray, dict[str, Any]]:
        """Place the robot at its start. The seed is that of the imperfections; there are no options."""
        super().reset(seed=seed)
        state = self.robot.reset(seed=int(self.np_random.integers(MAX_SEED)))
        self._actions.start(state)
        return self._vector.of(state), {"time_s": 0.0}

    def step(self, action: FloatArray) -> tuple[FloatArray, float, bool, bool, dict[str, Any]]:
        """Let the joints follow an action for a step, and return observation, reward, whether it ended, and facts.

        The facts: time_s, forward_m, lateral_m, work_J, effort_s, fallen, and fault and remedy after a fault.
        """
        before = self.robot.observation
        states = [before]
        facts: dict[str, Any] = {}
        try:
            for _ in range(self.ticks_per_step):
                states.append(self.robot.step(self._actions.command(action)))
        except BackendFault as fault:
            facts = {"fault": str(fault), "remedy": fault.remedy}
        step = self._measure(states)
        base = step.after.base
        fallen = base is not None and upward(base)[2] < TIPPED_COSINE
        facts |= {"time_s": step.after.time_ns * 1e-9, "forward_m": step.forward, "lateral_m": step.lateral}
        facts |= {"work_J": step.work, "effort_s": step.effort, "fallen": fallen}
        return self._vector.of(step.after), self._reward(step), fallen or "fault" in facts, False, facts

    def close(self) -> None:
        """End the simulation."""
        self.robot.close()

    def _measure(self, states: list[Observation]) -> EnvironmentStep:
        """Return the step through these states."""
        first, last, dt = states[0], states[-1], self.robot.dt
        motors = self.robot.spec.actuated_indices
        efforts = np.nan_to_num(np.array([state.effort[motors] for state in states[1:]]).reshape(-1, len(motors)))
        rates = np.nan_to_num(np.array([state.velocity[motors] for state in states[1:]]).reshape(-1, len(motors)))
        path = measure_ground_path(*_places([state.base for state in states if state.base is not None]))
        return EnvironmentStep(
            first,
            last,
            (last.time_ns - first.time_ns) * 1e-9,
            path.forward,
            path.lateral,
            path.turn,
            dt * float(((efforts / self._efforts) ** 2).mean(axis=1).sum()),
            dt * float((efforts * rates).clip(0.0).sum()),
        )


def _places(bases: list[BaseState]) -> tuple[FloatArray, FloatArray]:
    """Return the places on the ground (m), and the headings (rad, unwrapped)."""
    places = np.array([base.position[:2] for base in bases]).reshape(-1, 2)
    return places, np.unwrap([Heading.of(base.quaternion).yaw for base in bases])


def environment_id(robot: str) -> str:
    """Return the name of a robot's environment for `gymnasium.make`."""
    return f"crawler/{robot}-v0"


for _name in robot_names():
    gymnasium.register(
        environment_id(_name),
        entry_point="crawler_studies.learning.robot_environment:RobotEnvironment",
        max_episode_steps=EPISODE_STEPS,
        kwargs={"robot": _name},
    )
