"""Objectives of a tuning: one number for a point, from one evaluation or from a set of frictions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from crawler_core.errors import UserError, unknown_name
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.model_registry import model_of
from crawler_studies.evaluators.evaluator import EvaluationStopped, Evaluator, Result
from crawler_studies.evaluators.friction_sets import (
    DEFAULT_SPREAD,
    FRICTION_SETS,
    SPREAD_SAMPLES,
    Scales,
    check_spread,
    friction_parameters,
    robust,
)
from crawler_studies.study.study_case import Point, StudyCase, extra_columns


@dataclass(frozen=True)
class Criterion:
    """A number that is maximised or minimised."""

    quantity: str  # of the result: step_length, speed, or one of the robot's extra columns
    unit: str  # SI; empty: the quantity's name ends with it
    over_frictions: Callable[[Sequence[float]], float] | None  # the value of a friction set; None: no set
    doc: str
    minimised: bool = False
    text: Callable[[float], str] = "{:.6g}".format  # for people

    @property
    def plot_scale(self) -> tuple[float, str]:
        """Factor on the values in a plot, and their unit there."""
        return (1e3, f"m{self.unit}") if self.unit else (1.0, "")

    def gain(self, value: float) -> float:
        """Return the value with the sign that makes larger better."""
        return -value if self.minimised else value

    def of(self, result: Result) -> float:
        """Return the number of a result; NaN where it is not known."""
        if self.quantity in LENGTH_TEXTS:
            return float(getattr(result, self.quantity))
        return float(result.extra.get(self.quantity, math.nan))


LENGTH_TEXTS = {"step_length": lambda v: f"{v * 1e3:.3f} mm", "speed": lambda v: f"{v * 1e3:.3f} mm/s"}
CRITERIA: Mapping[str, Criterion] = {
    name: Criterion(quantity, unit, over_frictions, doc, text=LENGTH_TEXTS[quantity])
    for name, quantity, unit, over_frictions, doc in (
        ("step", "step_length", "m", None, "the step length S"),
        ("speed", "speed", "m/s", None, "the speed V"),
        ("robust_step", "step_length", "m", robust, "S_mu, the middle of the steps over the friction set"),
        ("robust_speed", "speed", "m/s", robust, "the same of the speed"),
        ("worst_step", "step_length", "m", min, "the shortest step over the friction set"),
    )
}


def criteria_of(spec: RobotSpec) -> dict[str, Criterion]:
    """Return the criteria for this robot: those of every robot, and its numeric extra columns."""
    described = {column.key: column for column in model_of(spec).columns}
    extra = {}
    for key, kind in extra_columns(spec).items():
        if kind is float and key in described:
            extra[key] = Criterion(key, "", None, described[key].meaning, text=described[key].text)
        elif kind is float:
            extra[key] = Criterion(key, "", None, key)
    return {**extra, **CRITERIA}


@dataclass(frozen=True)
class Objective:
    """A criterion for the points of one case; forward is positive."""

    name: str
    criterion: Criterion
    case: StudyCase
    frictions: tuple[Scales, ...] = ()  # empty: the robot's own
    scaled: tuple[str, ...] = ()  # the parameters, by full name, that the scales are factors on

    @property
    def label(self) -> str:
        """The name, marked where the criterion is minimised."""
        return f"least_{self.name}" if self.criterion.minimised else self.name

    def value(self, evaluator: Evaluator, point: Point, stopped: Callable[[], bool]) -> tuple[float, str]:
        """Return the criterion at `point` and "", or NaN and the reason. Raises EvaluationStopped once `stopped`."""
        points = self.points(point)
        # equations are fast with many points at once; elsewhere each takes long, and the first invalid one decides
        chunks = [points] if evaluator.backend == "model" else [[one] for one in points]
        results: list[Result] = []
        for chunk in chunks:
            if stopped():
                raise EvaluationStopped
            results += evaluator.evaluate(chunk)
            for result in results:
                if not result.valid:
                    return math.nan, result.reason
        value = self.of(results)
        return value, f"{self.criterion.quantity} is not known on {evaluator.backend}." if math.isnan(value) else ""

    def points(self, point: Point) -> list[dict[str, float]]:
        """Return the points that are evaluated for `point`, one for each friction."""
        if not self.frictions:
            return [dict(point)]
        values = [point.get(name, self.case.infos[name].default) for name in self.scaled]
        return [
            {**point, **{name: scale * own for name, scale, own in zip(self.scaled, scales, values, strict=True)}}
            for scales in self.frictions
        ]

    def of(self, results: Sequence[Result]) -> float:
        """Return the criterion of valid results."""
        values = [self.criterion.of(result) for result in results]
        over_frictions = self.criterion.over_frictions
        return values[0] if over_frictions is None else over_frictions(values)


def make_objective(
    name: str,
    case: StudyCase,
    friction_set: str,
    spread: float = DEFAULT_SPREAD,
    samples: int = SPREAD_SAMPLES,
    minimised: bool = False,
) -> Objective:
    """Make the objective `name`. Raises UserError for an unknown one, or for a robot that cannot vary its frictions."""
    criteria = criteria_of(case.spec)
    if name not in criteria:
        raise unknown_name("objective", name, criteria)
    if friction_set not in FRICTION_SETS:
        raise unknown_name("friction set", friction_set, FRICTION_SETS)
    check_spread(spread)
    criterion = replace(criteria[name], minimised=minimised)
    if criterion.over_frictions is None:
        return Objective(name, criterion, case)
    if minimised:
        raise UserError(f"{name} cannot be minimised: a gait that is bad over every friction is no aim. Maximise it.")
    scaled = tuple(f"robot.{parameter}" for parameter in friction_parameters(case.spec))
    frictions = tuple(FRICTION_SETS[friction_set](spread, samples, len(scaled)))
    return Objective(name, criterion, case, frictions, scaled)
