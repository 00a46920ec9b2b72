"""Evaluation by physics: an engine's backend in a plain loop, without ROS, until its crawl is steady.

Where the law does no more than pass on the reference the joints are told it; otherwise the law is part of the loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from crawler_core.description.urdf import total_weight
from crawler_core.errors import BackendFault, UserError
from crawler_core.loop.backend import Backend
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray, JointCommand
from crawler_models.models import model_of
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.recordings.run_window import RunWindow, Strides
from crawler_studies.simulation.control_loop import ControlLoop
from crawler_studies.simulation.simulate import Tick, simulation_settings
from crawler_studies.study.extra_columns import extra_columns
from crawler_studies.study.study_case import Point, StudyCase
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.limit_check import check_limits
from gait_generators.transitions.hold import Hold
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
from gait_generators.transitions.transition import Transition, plan_transition
from sim_bridge.physics.engines import ENGINES, default_physics
from sim_bridge.physics.physics_backend import PhysicsSettings

BLOCK_TIME = 7.8  # s, about: ten periods at 8 rad/s
MOST_PERIODS = 21  # in a block
SHORT_TIME, ROUND = 4.0, 0.1  # s that a block lasts at least where the tick is given, and of a tick that it may be off
EVENTFUL_TIME = 2.0  # s, about, of a block whose strides end with events: those do not beat with the ticks
# Two blocks that differ by less are the same.
RELATIVE = 1e-3  # of the step length
ABSOLUTE = 2e-5  # m
MOST_BLOCKS = 15
TIPPED = 0.5  # cosine of the base's tilt: one that can roll has fallen where it is more than 60 degrees


@dataclass(frozen=True)
class SteadyRun:
    """A steady crawl, as it was measured."""

    spec: RobotSpec
    gait: Gait
    window: RunWindow
    strides: Strides  # the whole ones of the window
    periods: float  # of the gait, in the window

    @property
    def count(self) -> float:
        """Strides in all of the window, parts of them too."""
        by_period = self.spec.stride.event == "period"
        return self.strides.count if by_period else self.window.time / self.strides.period

    @cached_property
    def feet(self) -> dict[str, float]:
        """What the feet did."""
        return self.window.footfall(self.gait, self.periods).numbers

    @cached_property
    def attitude(self) -> FloatArray:
        """Roll and pitch in each tick, degrees."""
        return np.degrees(self.window.attitude[:, :2])


# what physics knows of a column that a model may have
MEASURED: Mapping[str, Callable[[SteadyRun], float]] = {
    "peak_torque_N_m": lambda it: it.window.torque,
    "peak_power_W": lambda it: it.window.power,
    "peak_speed_rad_s": lambda it: it.window.rate,
    "least_forward_m_s": lambda it: it.window.slowest,
    "peak_force_N": lambda it: it.window.force,
    "friction_used": lambda it: it.window.friction,
    "slip_per_stride_m": lambda it: it.window.slip / it.count,
    "friction_work_J": lambda it: it.window.friction_work / it.count,
    "energy_per_stride_J": lambda it: it.window.work / it.count,
    "cost_of_transport": lambda it: it.window.work / it.count / (total_weight(it.spec) * abs(it.strides.step)),
    "lateral_drift_m": lambda it: it.strides.drift / it.strides.count,
    "yaw_per_stride_rad": lambda it: it.strides.turn / it.strides.count,
    "yaw_rate_deg_s": lambda it: math.degrees(it.strides.turn) / it.strides.time,
    "roll_amplitude_deg": lambda it: 0.5 * float(np.ptp(it.attitude[:, 0])),
    "pitch_low_deg": lambda it: float(it.attitude[:, 1].min()),
    "pitch_high_deg": lambda it: float(it.attitude[:, 1].max()),
    "mismatch": lambda it: it.feet["mismatch"],
    "drag_share": lambda it: it.feet["drag_share"],
    "pushed_back_share": lambda it: it.feet["pushed_back_share"],
    "feet_down": lambda it: it.feet["feet_down"],
    "three_down_share": lambda it: it.feet["three_down_share"],
    "duty_front": lambda it: it.feet.get("duty_front", math.nan),
    "duty_hind": lambda it: it.feet.get("duty_hind", math.nan),
}


@dataclass(frozen=True)
class Blocks:
    """How a run is cut: each block has a whole number of periods and of ticks.

    A gait's events fall between physics steps, in each period at other places, and the step length beats with that. The
    two numbers have no common factor, so that every block goes once through the whole beat: its mean is free of it,
    and repeats when the crawl is steady.
    """

    periods: int
    ticks: int
    dt: float  # s, the tick's length

    @staticmethod
    def of(period: float, rate: float) -> Blocks:
        """Blocks for a gait with `period` (s), with at least `rate` ticks per second."""
        # odd, because ticks mostly have an even number of physics steps
        periods = min(max(1, round(BLOCK_TIME / period)), MOST_PERIODS) | 1
        ticks = math.ceil(periods * period * rate - 1e-9)
        while math.gcd(ticks, periods) > 1:
            ticks += 1
        return Blocks(periods, ticks, periods * period / ticks)


@dataclass(frozen=True)
class PhysicsEvaluator:
    """Steady crawling in a physics engine."""

    case: StudyCase
    backend: str  # the engine
    settings: PhysicsSettings
    rate: float = Tick.rate  # Hz

    @staticmethod
    def of(case: StudyCase, values: Mapping[str, Any], backend: str = "") -> PhysicsEvaluator:
        """An evaluator with `values` of the section backend over the robot's own. Raises UserError.

        Without a `backend` by the engine that this machine has.
        """
        backend = backend or default_physics()
        settings, rate = simulation_settings(case.spec, backend, values)
        return PhysicsEvaluator(case, backend, settings, rate)

    @property
    def identity(self) -> dict[str, Any]:
        """Everything but the case that a result depends on."""
        return {"rate": self.rate, **asdict(self.settings)}

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        return [self._one(point) for point in points]

    def _one(self, point: Point) -> Result:
        try:
            spec, gait = self.case.at(point)
            check_limits(spec, gait)
            if not self.case.law_entry.transparent:
                return self._under_law(point, spec, gait)
            motion = _from_rest(spec, gait)
        except UserError as error:
            return Result.invalid(str(error))
        blocks = Blocks.of(gait.period, self.rate)
        backend = ENGINES[self.backend].backend(spec, self.settings, blocks.dt)
        try:
            backend.open()
            first = math.ceil(motion.end / blocks.dt)  # the blend into the gait does not count
            _run(backend, motion, blocks.dt, 0, first, spec)

            def block(k: int) -> RunWindow:
                return _run(backend, motion, blocks.dt, first + k * blocks.ticks, blocks.ticks, spec)

            return _settled(block, blocks.periods, spec, gait)
        except BackendFault as fault:
            return Result.invalid(f"{fault}: {fault.remedy}.")
        finally:
            backend.close()

    def _under_law(self, point: Point, spec: RobotSpec, gait: Gait) -> Result:
        """The law answers every tick. Raises UserError."""
        dt_ns = round(1e9 / self.rate)
        dt = dt_ns * 1e-9
        law = self.case.law_entry.build(spec, self.case.law_at(point), dt)
        periods = whole_beat(gait.period, dt) if spec.stride.event == "period" else round(EVENTFUL_TIME / gait.period)
        ticks = round(max(1, periods) * gait.period / dt)
        backend = ENGINES[self.backend].backend(spec, self.settings, dt)
        try:
            loop = ControlLoop(spec, gait, law, backend, dt_ns)

            def block(_k: int) -> RunWindow:
                window = RunWindow(spec, dt, loop.seen)
                for _ in range(ticks):
                    window.add(loop.tick())
                return window

            return _settled(block, ticks * dt / gait.period, spec, gait)
        except BackendFault as fault:
            return Result.invalid(f"{fault}: {fault.remedy}.")
        finally:
            backend.close()


def whole_beat(period: float, dt: float) -> int:
    """Periods in a block, where the tick is given: as few as are whole ticks and last `SHORT_TIME`, if there are such.

    The places of a gait's events between ticks then repeat from block to block.
    """
    most = max(1, round(BLOCK_TIME / period))
    for periods in range(max(1, math.ceil(SHORT_TIME / period)), most):
        if abs(periods * period / dt - round(periods * period / dt)) < ROUND:
            return periods
    return most


def _from_rest(spec: RobotSpec, gait: Gait) -> Transition:
    rest = Hold(np.array([joint.home for joint in spec.actuated]))
    return plan_transition(spec, rest, PhaseShiftedGait.after(spec, rest, gait, 0.0), 0.0, gait.period)


def _settled(block: Callable[[int], RunWindow], periods: float, spec: RobotSpec, gait: Gait) -> Result:
    """Run block after block, each of so many periods, until two have the same step length."""
    before = math.nan
    for k in range(1 + MOST_BLOCKS):
        window = block(k)
        if "roll" in spec.base_motion and window.attitude[:, 2].min() < TIPPED:
            return Result.invalid("it tips over.")
        strides = window.strides(periods)
        if strides is None:
            return Result.invalid(
                f"{spec.stride.foot} has no {spec.stride.event} by which strides could be told apart."
            )
        step = strides.step
        if abs(step - before) <= max(RELATIVE * abs(step), ABSOLUTE):
            return _result(SteadyRun(spec, gait, window, strides, periods))
        before = step
    return Result.invalid(f"the step length did not settle within {(1 + MOST_BLOCKS) * periods:g} periods.")


def _result(found: SteadyRun) -> Result:
    spec, strides = found.spec, found.strides
    least = found.window.forces.min(axis=0)
    standing = [(float(force), foot.name) for force, foot in zip(least, spec.feet, strict=True) if not foot.lifts]
    lowest, name = min(standing, default=(math.inf, ""))
    if lowest <= 0.0:
        return Result.invalid(f"{name} leaves the ground.")
    derive = model_of(spec).measured
    wanted = extra_columns(spec)
    known = {
        **(derive(spec, found.gait, strides.step) if derive else {}),
        **{name: of(found) for name, of in MEASURED.items() if name in wanted},
        **({"min_normal_force_N": lowest} if standing else {}),
    }
    own = {name: known[name] for name in wanted if name in known}
    period = found.gait.period if spec.stride.event == "period" else strides.period
    return Result(strides.step, strides.step / period, valid=True, own=own)


def _run(backend: Backend, motion: Transition, dt: float, done: int, ticks: int, spec: RobotSpec) -> RunWindow:
    """Go on for `ticks` after those that are `done`."""
    position, velocity, _ = motion.sample(dt * np.arange(done + 1, done + ticks + 1))
    unknown = np.full(position.shape[1], np.nan)
    window = RunWindow(spec, dt, backend.observe())
    for q, dq in zip(position, velocity, strict=True):
        backend.apply(JointCommand(q, dq, unknown))
        backend.advance(dt)
        window.add(backend.observe())
    return window
