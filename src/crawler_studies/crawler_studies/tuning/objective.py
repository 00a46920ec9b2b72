"""What is maximised or minimised: one number for a point, from one evaluation or from a set of frictions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from crawler_core.errors import UserError, unknown_name
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.models import model_of
from crawler_studies.evaluators.evaluator import Evaluator, Result
from crawler_studies.evaluators.friction_sets import (
    FRICTION_SETS,
    SAMPLES,
    SPREAD,
    Scales,
    check_spread,
    friction_parameters,
    robust,
    worst,
)
from crawler_studies.study.extra_columns import extra_columns
from crawler_studies.study.study_case import Point, StudyCase


class Stopped(Exception):
    """An evaluation was given up because somebody asked for the end."""


@dataclass(frozen=True)
class Criterion:
    """One criterion."""

    quantity: str  # of the result: step_length, speed, or one of the robot's own columns
    unit: str  # SI; empty: the quantity's name says it
    over_frictions: Callable[[Sequence[float]], float] | None  # what is kept of a friction set; None: no set
    doc: str
    least: bool = False  # the smallest is the best, not the largest
    text: Callable[[float], str] = "{:.6g}".format  # how people read it

    @property
    def shown_in(self) -> tuple[float, str]:
        """What a picture multiplies the values with, and their unit there."""
        return (1e3, f"m{self.unit}") if self.unit else (1.0, "")

    def gain(self, value: float) -> float:
        """The value as something of which more is better."""
        return -value if self.least else value

    def of(self, result: Result) -> float:
        """What a result comes to; NaN where that is not known."""
        if self.quantity in LENGTHS:
            return float(getattr(result, self.quantity))
        return float(result.own.get(self.quantity, math.nan))


LENGTHS = {"step_length": lambda v: f"{v * 1e3:.3f} mm", "speed": lambda v: f"{v * 1e3:.3f} mm/s"}
KINDS: Mapping[str, Criterion] = {
    name: Criterion(quantity, unit, keep, doc, text=LENGTHS[quantity])
    for name, quantity, unit, keep, doc in (
        ("step", "step_length", "m", None, "the step length S"),
        ("speed", "speed", "m/s", None, "the speed V"),
        ("robust_step", "step_length", "m", robust, "S_mu, the middle of the steps over the friction set"),
        ("robust_speed", "speed", "m/s", robust, "the same of the speed"),
        ("worst_step", "step_length", "m", worst, "the shortest step over the friction set"),
    )
}


def kinds_of(spec: RobotSpec) -> dict[str, Criterion]:
    """Every criterion for this robot: those of all, and the numbers that studies keep of it."""
    told = {column.key: column for column in model_of(spec).columns}
    own = {
        key: Criterion(key, "", None, told[key].meaning, text=told[key].text)
        if key in told
        else Criterion(key, "", None, key)
        for key, kind in extra_columns(spec).items()
        if kind is float
    }
    return {**own, **KINDS}


@dataclass(frozen=True)
class Objective:
    """A criterion for the points of one case; forward is positive."""

    name: str
    kind: Criterion
    case: StudyCase
    frictions: tuple[Scales, ...] = ()  # empty: the robot's own
    scaled: tuple[str, ...] = ()  # the parameters, by full name, that the scales are factors on

    @property
    def label(self) -> str:
        """Its name, and which way it goes where that is not the usual one."""
        return f"least_{self.name}" if self.kind.least else self.name

    def value(self, evaluator: Evaluator, point: Point, stopped: Callable[[], bool]) -> tuple[float, str]:
        """The criterion at `point` and "", or NaN and why there is none. Raises Stopped as soon as `stopped`."""
        points = self.points(point)
        # the equations like many at once; elsewhere each is long, and the first that is not valid decides
        chunks = [points] if evaluator.backend == "model" else [[one] for one in points]
        results: list[Result] = []
        for chunk in chunks:
            if stopped():
                raise Stopped
            results += evaluator.evaluate(chunk)
            for result in results:
                if not result.valid:
                    return math.nan, result.reason
        found = self.of(results)
        return found, f"{self.kind.quantity} is not known on {evaluator.backend}." if math.isnan(found) else ""

    def points(self, point: Point) -> list[dict[str, float]]:
        """Everything that must be evaluated for `point`."""
        if not self.frictions:
            return [dict(point)]
        own = [point.get(name, self.case.infos[name].default) for name in self.scaled]
        return [
            {**point, **{name: scale * o for name, scale, o in zip(self.scaled, scales, own, strict=True)}}
            for scales in self.frictions
        ]

    def of(self, results: Sequence[Result]) -> float:
        """The criterion of valid results."""
        values = [self.kind.of(result) for result in results]
        keep = self.kind.over_frictions
        return values[0] if keep is None else keep(values)


def make_objective(
    name: str, case: StudyCase, friction_set: str, spread: float = SPREAD, samples: int = SAMPLES, least: bool = False
) -> Objective:
    """The objective `name`, of which the most or the `least` is looked for.

    Raises UserError for what is unknown, and for a robot without a friction for each foot.
    """
    kinds = kinds_of(case.spec)
    if name not in kinds:
        raise unknown_name("objective", name, kinds)
    if friction_set not in FRICTION_SETS:
        raise unknown_name("friction set", friction_set, FRICTION_SETS)
    check_spread(spread)
    kind = replace(kinds[name], least=least)
    if kind.over_frictions is None:
        return Objective(name, kind, case)
    if least:
        raise UserError(f"{name} is to be maximised: a gait that is bad over every friction is no aim.")
    scaled = tuple(f"robot.{factor}" for factor in friction_parameters(case.spec))
    frictions = tuple(FRICTION_SETS[friction_set](spread, samples, len(scaled)))
    return Objective(name, kind, case, frictions, scaled)
