"""Evaluation by physics: an engine's backend in a plain loop, without ROS, until its crawl is steady.

Where the law does no more than pass on the reference the joints are told it; otherwise the law is part of the loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from crawler_core.backend import Backend
from crawler_core.backend_settings import robots_common, robots_own
from crawler_core.errors import BackendFault, UserError, unknown_name
from crawler_core.parameters import build, describe, parameter
from crawler_core.robot import RobotSpec
from crawler_core.types import JointCommand
from crawler_core.urdf import weight_of
from crawler_models.catalogue import model_of
from crawler_studies.evaluation import Result
from crawler_studies.law_loop import LawLoop
from crawler_studies.own_columns import own_columns
from crawler_studies.stretch import Stretch, Strides
from crawler_studies.subject import Point, Subject
from gait_generators.checks import Transition, blend_within_limits, check_limits
from gait_generators.gait import Gait
from gait_generators.hold import Hold
from gait_generators.placed import Placed
from sim_bridge.engines import ENGINES, default_physics
from sim_bridge.physics_backend import PhysicsSettings

BLOCK_TIME = 7.8  # s, about: ten periods at 8 rad/s
MOST_PERIODS = 21  # in a block
EVENTFUL_TIME = 2.0  # s, about, of a block whose strides end with events: those do not beat with the ticks
# Two blocks that differ by less are the same.
RELATIVE = 1e-3  # of the step length
ABSOLUTE = 2e-5  # m
MOST_BLOCKS = 15


# what physics knows of a column that a model may have, by the steady stretch, its whole strides, and all parts of them
MEASURED: Mapping[str, Callable[[RobotSpec, Stretch, Strides, float], float]] = {
    "peak_torque_N_m": lambda _, stretch, __, ___: stretch.torque,
    "peak_power_W": lambda _, stretch, __, ___: stretch.power,
    "peak_speed_rad_s": lambda _, stretch, __, ___: stretch.rate,
    "least_forward_m_s": lambda _, stretch, __, ___: stretch.slowest,
    "peak_force_N": lambda _, stretch, __, ___: stretch.force,
    "friction_used": lambda _, stretch, __, ___: stretch.friction,
    "slip_per_stride_m": lambda _, stretch, __, count: stretch.slip / count,
    "friction_work_J": lambda _, stretch, __, count: stretch.friction_work / count,
    "energy_per_stride_J": lambda _, stretch, __, count: stretch.work / count,
    "cost_of_transport": lambda spec, stretch, strides, count: stretch.work / count / (weight_of(spec) * strides.step),
    "lateral_drift_m": lambda _, __, strides, ___: strides.drift / strides.count,
    "yaw_per_stride_rad": lambda _, __, strides, ___: strides.turn / strides.count,
}


@dataclass(frozen=True)
class Tick:
    """What the evaluation takes besides the engine's own settings."""

    rate: float = parameter(500.0, unit="Hz", low=10.0, high=4000.0, constant=True, doc="setpoints per second")


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

    subject: Subject
    backend: str  # the engine
    settings: PhysicsSettings
    rate: float = Tick.rate  # Hz

    @staticmethod
    def of(subject: Subject, values: Mapping[str, Any], backend: str = "") -> PhysicsEvaluator:
        """An evaluator with `values` of the section backend over the robot's own. Raises UserError.

        Without a `backend` by the engine that this machine has.
        """
        backend = backend or default_physics()
        settings = ENGINES[backend].settings
        known = {info.name for cls in (Tick, settings) for info in describe(cls)} - {"gui"}
        for name in values:
            if name not in known:
                raise unknown_name("parameter of an evaluation", f"backend.{name}", (f"backend.{k}" for k in known))
        own = {name: value for name, value in values.items() if name != "rate"}
        rates = {**robots_common(subject.spec, backend, settings), **values}
        tick = build(Tick, {name: value for name, value in rates.items() if name == "rate"}, section="backend")
        defaults = robots_own(subject.spec, backend, settings)
        return PhysicsEvaluator(subject, backend, build(settings, {**defaults, **own}, section="backend"), tick.rate)

    @property
    def identity(self) -> dict[str, Any]:
        """Everything but the subject that a result depends on."""
        return {"rate": self.rate, **asdict(self.settings)}

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        return [self._one(point) for point in points]

    def _one(self, point: Point) -> Result:
        try:
            spec, gait = self.subject.at(point)
            check_limits(spec, gait)
            if not self.subject.law_entry.transparent:
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

            def block(k: int) -> Stretch:
                return _run(backend, motion, blocks.dt, first + k * blocks.ticks, blocks.ticks, spec)

            return _steady(block, blocks.periods, spec, gait)
        except BackendFault as fault:
            return Result.invalid(f"{fault}: {fault.remedy}.")
        finally:
            backend.close()

    def _under_law(self, point: Point, spec: RobotSpec, gait: Gait) -> Result:
        """The law answers every tick. Raises UserError."""
        dt_ns = round(1e9 / self.rate)
        dt = dt_ns * 1e-9
        law = self.subject.law_entry.build(spec, self.subject.law_at(point), dt)
        time = BLOCK_TIME if spec.stride.cut == "period" else EVENTFUL_TIME
        ticks = round(max(1, round(time / gait.period)) * gait.period / dt)
        backend = ENGINES[self.backend].backend(spec, self.settings, dt)
        try:
            loop = LawLoop(spec, gait, law, backend, dt_ns)

            def block(_k: int) -> Stretch:
                stretch = Stretch(spec, dt, loop.seen)
                for _ in range(ticks):
                    stretch.add(loop.tick())
                return stretch

            return _steady(block, ticks * dt / gait.period, spec, gait)
        except BackendFault as fault:
            return Result.invalid(f"{fault}: {fault.remedy}.")
        finally:
            backend.close()


def _from_rest(spec: RobotSpec, gait: Gait) -> Transition:
    rest = Hold(np.array([joint.home for joint in spec.actuated]))
    return blend_within_limits(spec, rest, Placed.after(spec, rest, gait, 0.0), 0.0, gait.period)


def _steady(block: Callable[[int], Stretch], periods: float, spec: RobotSpec, gait: Gait) -> Result:
    """Run block after block, each of so many periods, until two have the same step length."""
    before = math.nan
    for k in range(1 + MOST_BLOCKS):
        stretch = block(k)
        strides = stretch.strides(periods)
        if strides is None:
            return Result.invalid(f"{spec.stride.foot} has no {spec.stride.cut} by which strides could be told apart.")
        step = strides.step
        if abs(step - before) <= max(RELATIVE * abs(step), ABSOLUTE):
            return _result(strides, stretch, spec, gait)
        before = step
    return Result.invalid(f"the step length did not settle within {(1 + MOST_BLOCKS) * periods:g} periods.")


def _result(strides: Strides, stretch: Stretch, spec: RobotSpec, gait: Gait) -> Result:
    least = stretch.forces.min(axis=0)
    standing = [(float(force), foot.name) for force, foot in zip(least, spec.feet, strict=True) if not foot.lifts]
    lowest, name = min(standing, default=(math.inf, ""))
    if lowest <= 0.0:
        return Result.invalid(f"{name} leaves the ground.")
    derive = model_of(spec).measured
    wanted = own_columns(spec)
    count = strides.count if spec.stride.cut == "period" else stretch.time / strides.period
    found = {
        **(derive(spec, gait, strides.step) if derive else {}),
        **{name: of(spec, stretch, strides, count) for name, of in MEASURED.items() if name in wanted},
        **({"min_normal_force_N": lowest} if standing else {}),
    }
    own = {name: found[name] for name in wanted if name in found}
    period = gait.period if spec.stride.cut == "period" else strides.period
    return Result(strides.step, strides.step / period, valid=True, own=own)


def _run(backend: Backend, motion: Transition, dt: float, done: int, ticks: int, spec: RobotSpec) -> Stretch:
    """Go on for `ticks` after those that are `done`."""
    position, velocity, _ = motion.sample(dt * np.arange(done + 1, done + ticks + 1))
    unknown = np.full(position.shape[1], np.nan)
    stretch = Stretch(spec, dt, backend.observe())
    for q, dq in zip(position, velocity, strict=True):
        backend.apply(JointCommand(q, dq, unknown))
        backend.advance(dt)
        stretch.add(backend.observe())
    return stretch
