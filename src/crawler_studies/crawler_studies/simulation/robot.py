"""A robot in simulated time in one process, without ROS: it is stepped by commands, or runs a gait under a law."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any

import numpy as np

from crawler_core.errors import UserError, unknown_name
from crawler_core.loop.backend import Backend
from crawler_core.loop.backend_sensors import make_robot_sensors
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_file import default_robot, load_robot
from crawler_core.safety.supervisor import MotionState
from crawler_core.types import FloatArray, JointCommand, Observation
from crawler_studies.simulation.control_loop import ControlLoop
from crawler_studies.simulation.tick_settings import SIMULATIONS, simulation_settings
from crawler_studies.study.study_case import StudyCase
from gait_generators.kinds.limit_check import check_limits
from sim_bridge.physics.engines import default_physics

Settings = Mapping[str, Mapping[str, Any]]
"""Sections of settings as in a parameter file, such as {"gait": {"omega": 8.0}}."""

SECTIONS = ("robot", "backend", "gait", "controller")


class Robot:
    """A robot on a simulated backend: `reset` places it at its start, `step` lets one tick of `dt` s pass.

    Commands pass the safety supervisor, as in the stack: it limits them, and its faults are BackendFaults. The same
    settings, seed and commands give the same bits. `spec` is the robot file. Angles are in rad, everything in SI units.
    """

    def __init__(
        self,
        robot: str = "",
        backend: str = "",
        *,
        settings: Settings | None = None,
        reality: str = "",
        seed: int | None = None,
        rate: float | None = None,
    ) -> None:
        """Take an installed robot, or the path of a robot.yaml; nothing is simulated yet.

        `backend` is model, pybullet, mujoco, mock or emulated; without one it is the installed engine. `settings` are
        those of a parameter file. `reality` (ideal, typical, harsh), its `seed` and the `rate` of ticks (Hz) are short
        for settings of the section backend. Raises UserError for what is unknown or not allowed.
        """
        self._name = robot or default_robot()
        self._settings = dict(settings or {})
        for section in self._settings:
            if section not in SECTIONS:
                raise unknown_name("section of settings", section, SECTIONS)
        self.spec = load_robot(self._name, self._settings.get("robot"))
        self.backend = backend or default_physics()
        short = {"reality": reality or None, "seed": seed, "rate": rate}
        values = {name: value for name, value in short.items() if value is not None}
        chosen = {**(self._settings.get("backend") or {}), **values}
        self._own_settings, self._ticks = simulation_settings(self.spec, self.backend, chosen)
        SIMULATIONS[self.backend].check(self.spec, self._own_settings)
        self._dt_ns = round(1e9 / self._ticks.rate)
        self._effort_driven = np.array([joint.is_effort_driven for joint in self.spec.actuated])
        self._open_backend: Backend | None = None
        self._supervised: SupervisedBackend | None = None

    @property
    def dt(self) -> float:
        """The length of a tick (s)."""
        return self._dt_ns * 1e-9

    @property
    def observation(self) -> Observation:
        """The newest state; a robot that has not been reset yet is."""
        return self._started().observation

    def reset(self, seed: int | None = None) -> Observation:
        """Place the robot at its start, at time 0 and able to move, and return its state.

        A `seed` replaces that of the imperfections of motors and sensors. Raises UserError or BackendFault.
        """
        self.close()
        if seed is not None:
            self._ticks = replace(self._ticks, seed=seed)
        spec, ticks, dt = self.spec, self._ticks, self.dt
        plain = SIMULATIONS[self.backend].backend(spec, self._own_settings, dt)
        backend = self._open_backend = ticks.make_realistic(plain, spec, dt)
        sensors = make_robot_sensors(spec, backend, ticks.reality, ticks.seed)
        self._supervised = SupervisedBackend.start(spec, backend, dt, sensors)
        return self._supervised.observation

    def step(self, command: JointCommand | Sequence[float] | FloatArray | None = None) -> Observation:
        """Let one tick pass and return the state after it.

        A sequence has a number for each actuated joint, in the order of `spec.actuated_names`: the effort (N·m) for the
        tick of a joint that is driven by effort, and the angle (rad) at the tick's end of any other. A far angle is
        approached. Without a command the joints stop; after a while they lose their torque, until the next command.
        Raises UserError for another number of values or one that is not finite, and BackendFault for a fault, which
        lasts until `reset`.
        """
        supervised = self._started()
        given = command if command is None or isinstance(command, JointCommand) else self._command(command)
        if given is not None and supervised.supervisor.motion is MotionState.RELAXED:
            supervised.enable()
        report = supervised.supervisor.report
        rejected = report.rejected
        state = supervised.step(given)
        if report.rejected > rejected:
            raise UserError(f"the command was rejected: {report.last_rejection}. Give finite numbers.")
        return state

    def run(
        self, duration: float, gait: str = "", controller: str = "", settings: Settings | None = None
    ) -> list[Observation]:
        """Run a gait under a law, from the present pose, and return the present state and that after each tick.

        Gait and controller are the robot's own unless they are given. `settings` of the sections gait and controller
        come before those of the robot. Raises UserError for a gait that the robot cannot follow, and BackendFault.
        """
        loop = self.control_loop(gait, controller, settings)
        return list(loop.run(round(duration * 1e9 / self._dt_ns)))

    def control_loop(self, gait: str = "", controller: str = "", settings: Settings | None = None) -> ControlLoop:
        """Return the control loop of `run`, to be run tick by tick."""
        for section in settings or {}:
            if section not in ("gait", "controller"):
                raise UserError(f"settings of '{section}' are not allowed for a run: give them to the Robot.")
        sections = {
            name: {**(self._settings.get(name) or {}), **((settings or {}).get(name) or {})}
            for name in ("robot", "gait", "controller")
        }
        case = StudyCase(self._name, gait, sections, controller)
        _, planned = case.at({})
        check_limits(self.spec, planned)
        case.law_entry.check(self.spec)
        law = case.law_entry.build(self.spec, case.law_at({}), self.dt)
        estimator = self._ticks.make_estimator(self.spec, law)
        return ControlLoop(self.spec, planned, law, self._started(), self._dt_ns, estimator)

    def close(self) -> None:
        """End the simulation. A later `reset` begins another."""
        if self._open_backend is not None:
            self._open_backend.close()
        self._open_backend = self._supervised = None

    def __enter__(self) -> Robot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _started(self) -> SupervisedBackend:
        if self._supervised is None:
            self.reset()
        assert self._supervised is not None
        return self._supervised

    def _command(self, values: Any) -> JointCommand:
        given = np.asarray(values, dtype=float)
        names = self.spec.actuated_names
        if given.shape != (len(names),):
            raise UserError(
                f"a command of shape {given.shape} is not allowed: give {len(names)} numbers, for {', '.join(names)}."
            )
        unknown = np.full(len(names), np.nan)
        pushed = self._effort_driven
        return JointCommand(np.where(pushed, np.nan, given), unknown, np.where(pushed, given, np.nan))


@contextmanager
def start_loop(case: StudyCase, kind: str, values: Mapping[str, Any], rate: float = 0.0) -> Iterator[ControlLoop]:
    """Start a case on the simulation `kind`, and end it with the block; `values` are of the section backend.

    A `rate` (Hz) precedes the simulation's own. Raises UserError for a case that cannot run, and BackendFault.
    """
    with Robot(case.robot, kind, settings={**case.settings, "backend": values}, rate=rate or None) as robot:
        yield robot.control_loop(case.gait, case.law)
