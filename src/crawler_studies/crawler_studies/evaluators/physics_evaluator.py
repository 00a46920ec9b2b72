"""Evaluation by a physics engine, without ROS: a run block by block, until its stride is steady.

A law that only forwards the reference is left out: the joints follow the gait directly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from crawler_core.errors import BackendFault, UserError
from crawler_core.loop.backend import Backend
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.sensor_spec import DEFAULT_PROFILE
from crawler_core.types import JointCommand
from crawler_models.model_registry import model_of
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.evaluators.physics_columns import PHYSICS_COLUMNS, SteadyRun
from crawler_studies.recordings.run_window import TIPPED_COSINE, RunWindow
from crawler_studies.simulation.control_loop import ControlLoop
from crawler_studies.simulation.tick_settings import TickSettings, simulation_settings
from crawler_studies.study.study_case import Point, StudyCase, extra_columns
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.limit_check import check_limits
from gait_generators.transitions.hold import Hold
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
from gait_generators.transitions.transition import Transition, plan_transition
from sim_bridge.physics.engines import ENGINES, default_physics
from sim_bridge.physics.physics_backend import PhysicsSettings

BLOCK_TIME_S = 7.8  # about: ten periods at 8 rad/s
MAX_BLOCK_PERIODS = 21
# where the tick is given: how long a block lasts at least, and how far from whole ticks it may be
MIN_LAW_BLOCK_TIME_S, TICK_FRACTION = 4.0, 0.1
EVENT_BLOCK_TIME_S = 2.0  # about, of a block whose strides end with events: those do not beat with the ticks
# two blocks whose steps differ by less are steady
RELATIVE_TOLERANCE = 1e-3  # of the step length
ABSOLUTE_TOLERANCE = 2e-5  # m
MAX_REPEATED_BLOCKS = 15


@dataclass(frozen=True)
class Blocks:
    """The length of the blocks of a run: each has a whole number of periods and of ticks.

    A gait's events fall between physics steps, in each period at other places, and the step length beats with that. The
    two numbers have no common factor, so that every block goes once through the whole beat. Its mean is free of the
    beat, and repeats when the crawl is steady.
    """

    periods: int
    ticks: int
    dt: float  # s, the tick's length

    @staticmethod
    def of(period: float, rate: float) -> Blocks:
        """Return the blocks for a gait with `period` (s), with at least `rate` ticks per second."""
        # odd, because ticks mostly have an even number of physics steps
        periods = min(max(1, round(BLOCK_TIME_S / period)), MAX_BLOCK_PERIODS) | 1
        ticks = math.ceil(periods * period * rate - 1e-9)
        while math.gcd(ticks, periods) > 1:
            ticks += 1
        return Blocks(periods, ticks, periods * period / ticks)


@dataclass(frozen=True)
class PhysicsEvaluator:
    """Evaluates steady crawling in a physics engine."""

    case: StudyCase
    backend: str  # the engine
    settings: PhysicsSettings
    ticks: TickSettings = field(default_factory=TickSettings)

    @staticmethod
    def of(case: StudyCase, values: Mapping[str, Any], backend: str = "") -> PhysicsEvaluator:
        """Return an evaluator with `values` of the section backend over those of the robot file. Raises UserError.

        Without a `backend` it is the installed engine.
        """
        backend = backend or default_physics()
        return PhysicsEvaluator(case, backend, *simulation_settings(case.spec, backend, values))

    @property
    def identity(self) -> dict[str, Any]:
        """The inputs of a result in addition to the case."""
        imperfect = {} if self.ticks.reality in (DEFAULT_PROFILE, "ideal") else asdict(self.ticks)
        return {"rate": self.ticks.rate, **imperfect, **asdict(self.settings)}

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        return [self._evaluate_point(point) for point in points]

    def _evaluate_point(self, point: Point) -> Result:
        try:
            spec, gait = self.case.at(point)
            check_limits(spec, gait)
            if self.case.law_entry.transparent:
                return self._follow_gait(spec, gait)
            return self._follow_law(point, spec, gait)
        except UserError as error:
            return Result.invalid(str(error))
        except BackendFault as fault:
            return Result.invalid(f"{fault}: {fault.remedy}.")

    def _make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return self.ticks.make_realistic(ENGINES[self.backend].backend(spec, self.settings, dt), spec, dt)

    def _follow_gait(self, spec: RobotSpec, gait: Gait) -> Result:
        """Run the joints along the gait. Raises UserError or BackendFault."""
        motion = _start_from_rest(spec, gait)
        blocks = Blocks.of(gait.period, self.ticks.rate)
        backend = self._make_backend(spec, blocks.dt)
        try:
            backend.open()
            done = math.ceil(motion.end / blocks.dt)  # the transition into the gait does not count
            _run_motion(backend, motion, blocks.dt, 0, done, spec)

            def windows() -> Iterator[RunWindow]:
                for k in range(1 + MAX_REPEATED_BLOCKS):
                    yield _run_motion(backend, motion, blocks.dt, done + k * blocks.ticks, blocks.ticks, spec)

            return _evaluate_windows(windows(), blocks.periods, spec, gait)
        finally:
            backend.close()

    def _follow_law(self, point: Point, spec: RobotSpec, gait: Gait) -> Result:
        """Run the control loop with the law. Raises UserError or BackendFault."""
        dt_ns = round(1e9 / self.ticks.rate)
        dt = dt_ns * 1e-9
        law = self.case.law_entry.build(spec, self.case.law_at(point), dt)
        by_period = spec.stride.event == "period"
        periods = law_block_periods(gait.period, dt) if by_period else round(EVENT_BLOCK_TIME_S / gait.period)
        ticks = round(max(1, periods) * gait.period / dt)
        backend = self._make_backend(spec, dt)
        try:
            sensors, estimator = self.ticks.make_sensors(backend, spec, law), self.ticks.make_estimator(spec, law)
            supervised = SupervisedBackend.start(spec, backend, dt, sensors)
            loop = ControlLoop(spec, gait, law, supervised, dt_ns, estimator)

            def windows() -> Iterator[RunWindow]:
                for _ in range(1 + MAX_REPEATED_BLOCKS):
                    window = RunWindow(spec, dt, loop.observation)
                    for _ in range(ticks):
                        window.add(loop.tick())
                    yield window

            return _evaluate_windows(windows(), ticks * dt / gait.period, spec, gait)
        finally:
            backend.close()


def law_block_periods(period: float, dt: float) -> int:
    """Return the fewest periods that are whole ticks and last `MIN_LAW_BLOCK_TIME_S`, if there are such.

    The places of a gait's events between ticks then repeat from block to block.
    """
    most = max(1, round(BLOCK_TIME_S / period))
    for periods in range(max(1, math.ceil(MIN_LAW_BLOCK_TIME_S / period)), most):
        if abs(periods * period / dt - round(periods * period / dt)) < TICK_FRACTION:
            return periods
    return most


def _start_from_rest(spec: RobotSpec, gait: Gait) -> Transition:
    rest = Hold(np.array([joint.home for joint in spec.actuated]))
    return plan_transition(spec, rest, PhaseShiftedGait.after(spec, rest, gait, 0.0), 0.0, gait.period)


def _run_motion(backend: Backend, motion: Transition, dt: float, done: int, ticks: int, spec: RobotSpec) -> RunWindow:
    """Run `ticks` along the motion, after those that are `done`."""
    position, velocity, _ = motion.sample(dt * np.arange(done + 1, done + ticks + 1))
    no_effort = np.full(position.shape[1], np.nan)
    window = RunWindow(spec, dt, backend.observe())
    for q, dq in zip(position, velocity, strict=True):
        backend.apply(JointCommand(q, dq, no_effort))
        backend.advance(dt)
        window.add(backend.observe())
    return window


def _evaluate_windows(windows: Iterator[RunWindow], periods: float, spec: RobotSpec, gait: Gait) -> Result:
    """Evaluate the first of the `windows`, each of so many periods, whose step is that of the one before."""
    previous = math.nan
    for window in windows:
        if "roll" in spec.base_motion and window.attitude[:, 2].min() < TIPPED_COSINE:
            return Result.invalid("it tips over.")
        strides = window.measure_strides(periods)
        if strides is None:
            return Result.invalid(f"{spec.stride.foot} has no {spec.stride.event} to separate its strides by.")
        step = strides.step
        if abs(step - previous) <= max(RELATIVE_TOLERANCE * abs(step), ABSOLUTE_TOLERANCE):
            return _make_result(SteadyRun(spec, gait, window, strides, periods))
        previous = step
    return Result.invalid(f"the step length did not settle within {(1 + MAX_REPEATED_BLOCKS) * periods:g} periods.")


def _make_result(run: SteadyRun) -> Result:
    spec, step = run.spec, run.strides.step
    least_forces = run.window.normal_forces.min(axis=0)
    standing = [
        (float(force), foot.name) for force, foot in zip(least_forces, spec.feet, strict=True) if not foot.lifts
    ]
    least_force, foot_name = min(standing, default=(math.inf, ""))
    if least_force <= 0.0:
        return Result.invalid(f"{foot_name} leaves the ground.")
    derive_columns = model_of(spec).measured
    wanted = extra_columns(spec)
    known = {
        **(derive_columns(spec, run.gait, step) if derive_columns else {}),
        **{name: measure(run) for name, measure in PHYSICS_COLUMNS.items() if name in wanted},
        **({"min_normal_force_N": least_force} if standing else {}),
    }
    period = run.gait.period if spec.stride.event == "period" else run.strides.period
    return Result(step, step / period, valid=True, extra={name: known[name] for name in wanted if name in known})
