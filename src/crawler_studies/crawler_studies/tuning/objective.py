"""What is maximised: one number for a point, from one evaluation or from a set of frictions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from crawler_core.errors import unknown_name
from crawler_studies.evaluation import Evaluator, Result
from crawler_studies.robustness import (
    FRICTION_SETS,
    SAMPLES,
    SPREAD,
    Scales,
    check_spread,
    own_frictions,
    robust,
    worst,
)
from crawler_studies.subject import Point, Subject


class Stopped(Exception):
    """An evaluation was given up because somebody asked for the end."""


@dataclass(frozen=True)
class Kind:
    """One criterion."""

    quantity: str  # of the result: step_length or speed
    unit: str
    over_frictions: Callable[[Sequence[float]], float] | None  # what is kept of a friction set; None: no set
    doc: str


KINDS: Mapping[str, Kind] = {
    "step": Kind("step_length", "m", None, "the step length S"),
    "speed": Kind("speed", "m/s", None, "the speed V"),
    "robust_step": Kind("step_length", "m", robust, "S_mu, the middle of the steps over the friction set"),
    "robust_speed": Kind("speed", "m/s", robust, "the same of the speed"),
    "worst_step": Kind("step_length", "m", worst, "the shortest step over the friction set"),
}


@dataclass(frozen=True)
class Objective:
    """A criterion for the points of one subject. Larger is better; forward is positive."""

    name: str
    subject: Subject
    frictions: tuple[Scales, ...] = ()  # empty: the robot's own
    scaled: tuple[str, ...] = ()  # the parameters, by full name, that the scales are factors on

    @property
    def kind(self) -> Kind:
        return KINDS[self.name]

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
        return self.of(results), ""

    def points(self, point: Point) -> list[dict[str, float]]:
        """Everything that must be evaluated for `point`."""
        if not self.frictions:
            return [dict(point)]
        own = [point.get(name, self.subject.infos[name].default) for name in self.scaled]
        return [
            {**point, **{name: scale * o for name, scale, o in zip(self.scaled, scales, own, strict=True)}}
            for scales in self.frictions
        ]

    def of(self, results: Sequence[Result]) -> float:
        """The criterion of valid results."""
        values = [getattr(result, self.kind.quantity) for result in results]
        keep = self.kind.over_frictions
        return values[0] if keep is None else keep(values)


def make_objective(
    name: str, subject: Subject, friction_set: str, spread: float = SPREAD, samples: int = SAMPLES
) -> Objective:
    """The objective `name`. Raises UserError for what is unknown, and for a robot without a friction for each foot."""
    if name not in KINDS:
        raise unknown_name("objective", name, KINDS)
    if friction_set not in FRICTION_SETS:
        raise unknown_name("friction set", friction_set, FRICTION_SETS)
    check_spread(spread)
    if KINDS[name].over_frictions is None:
        return Objective(name, subject)
    scaled = tuple(f"robot.{factor}" for factor in own_frictions(subject.spec))
    frictions = tuple(FRICTION_SETS[friction_set](spread, samples, len(scaled)))
    return Objective(name, subject, frictions, scaled)
