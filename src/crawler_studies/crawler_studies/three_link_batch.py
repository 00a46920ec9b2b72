"""Many points of a three-link study at once: points that share a path of the joints share its table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler_core.errors import UserError
from crawler_core.limits import JointLimits
from crawler_core.parameters import check_value
from crawler_core.robot import RobotSpec
from crawler_models.three_link import ThreeLink
from crawler_models.three_link.fast import Outcome, ShapeTable
from crawler_studies.evaluation import Result
from crawler_studies.subject import Point, Subject
from gait_generators.catalogue import GAITS, make_gait
from gait_generators.checks import SAMPLES, TOLERANCE, check_limits
from gait_generators.gait import Gait

Array = NDArray[np.float64]

# what a table does not depend on
_BESIDES = ("robot.friction", "robot.friction_scale_1", "robot.friction_scale_2", "robot.gravity", "robot.foot_radius")
_TRUSTED = (Outcome.VALID, Outcome.CONTACT_LOST, Outcome.PAINLEVE)


def evaluate(subject: Subject, points: Sequence[Point]) -> list[Result | None]:
    """Results; None where the plain solver must be asked, as for a path that is not smooth enough for a table."""
    found: list[Result | None] = [None] * len(points)
    names = list(points[0]) if points else []
    usable = np.array([k for k, point in enumerate(points) if list(point) == names], dtype=int)
    values = np.array([[points[k][name] for name in names] for k in usable], dtype=float).reshape(len(usable), -1)
    for name, column in zip(names, values.T, strict=True):
        for k in usable[_outside(subject, name, column)]:
            found[k] = _refusal(subject, points[k], name)
    allowed = np.array([found[k] is None for k in usable], dtype=bool)
    usable, values = usable[allowed], values[allowed]
    if not len(usable):
        return found

    paced = GAITS[subject.gait_name].paced
    shaping = [k for k, name in enumerate(names) if name not in _BESIDES and not (paced and name == "gait.omega")]
    shapes, first, which = np.unique(values[:, shaping], axis=0, return_index=True, return_inverse=True)
    which = which.reshape(-1)
    keys = [names[k] for k in shaping]
    pairs = [
        _shape(subject, dict(zip(keys, shape, strict=True)), values[k], names)
        for shape, k in zip(shapes, first, strict=True)
    ]
    good = np.array([pair is not None for pair in pairs])
    if not good.any():
        return found
    table = ShapeTable([pair[0] for pair in pairs if pair], [pair[1] for pair in pairs if pair])
    within = _within_limits(subject.spec, [pair[1] for pair in pairs if pair])
    row = np.cumsum(good) - 1

    known = good[which]
    usable, values, which = usable[known], values[known], row[which[known]]
    periods = np.array([pair[1].period for pair in pairs if pair])
    columns = {name: values[:, k] for k, name in enumerate(names)}
    omega = columns["gait.omega"] if paced and "gait.omega" in columns else 2.0 * np.pi / periods[which]

    def robot(name: str) -> Any:
        return columns.get(f"robot.{name}", subject.spec.parameters[name])

    mu = robot("friction")
    order = np.lexsort((omega, *np.broadcast_arrays(mu * robot("friction_scale_1"), which)))
    mu1, mu2, gravity = (
        np.broadcast_to(value, omega.shape)[order]
        for value in (mu * robot("friction_scale_1"), mu * robot("friction_scale_2"), robot("gravity"))
    )
    result = table.crawl(which[order], omega[order], mu1, mu2, gravity)
    rows = zip(
        usable[order],
        which[order],
        omega[order],
        *(array.tolist() for array in (result.step_length, result.speed, result.outcome, result.min_normal_force)),
        result.painleve_margin.tolist(),
        result.unique.tolist(),
        strict=True,
    )
    for k, w, omega_k, step, speed, code, force, margin, unique in rows:
        outcome = Outcome(code)
        if not within(w, omega_k):
            found[k] = _beyond(subject, points[k])
        elif outcome in _TRUSTED:
            valid = outcome is Outcome.VALID
            found[k] = Result(step, speed, valid, outcome.sentence, force, margin, unique and valid)
    return found


def _outside(subject: Subject, name: str, column: Array) -> NDArray[np.bool_]:
    info = subject.info(name)
    low = -np.inf if info.low is None else info.low
    high = np.inf if info.high is None else info.high
    return np.asarray(~((column >= low) & (column <= high)))


def _refusal(subject: Subject, point: Point, name: str) -> Result:
    try:
        check_value(subject.info(name), point[name], label=name)
    except UserError as error:
        return Result.invalid(str(error))
    return Result.invalid(f"{name} = {point[name]!r} is not allowed.")


def _beyond(subject: Subject, point: Point) -> Result | None:
    try:
        check_limits(*subject.at(point))
    except UserError as error:
        return Result.invalid(str(error))
    return None


def _shape(
    subject: Subject, shaping: dict[str, float], values: Array, names: list[str]
) -> tuple[ThreeLink, Gait] | None:
    """The robot and the gait of one table, at one of its points; None where there is no such gait."""
    everything = {**dict(zip(names, values, strict=True)), **shaping}
    own = {key.partition(".")[2]: value for key, value in everything.items() if key.startswith("robot.")}
    gait = {key.partition(".")[2]: value for key, value in everything.items() if key.startswith("gait.")}
    try:
        robot = ThreeLink.from_parameters({**subject.spec.parameters, **own})
        return robot, make_gait(subject.spec, subject.gait_name, {**subject.settings.get("gait", {}), **gait})
    except ValueError:  # a UserError is one
        return None


def _within_limits(spec: RobotSpec, gaits: Sequence[Gait]) -> Any:
    """A function of (gait, omega) that says whether the joints can follow the gait's path at that pace."""
    limits = JointLimits.of(spec)
    steady = np.zeros(len(gaits), dtype=bool)
    fastest = np.zeros(len(gaits))
    for k, gait in enumerate(gaits):
        scale = gait.period / (2.0 * np.pi)
        q, dq, ddq = gait.sample(np.linspace(0.0, gait.period, SAMPLES, endpoint=False))
        steady[k] = bool((q <= limits.upper + TOLERANCE).all() and (q >= limits.lower - TOLERANCE).all())
        rate = (np.abs(dq).max(axis=0) * scale).clip(1e-300)
        gain = (np.abs(ddq).max(axis=0) * scale**2).clip(1e-300)
        fastest[k] = min((limits.velocity / rate).min(), np.sqrt(limits.acceleration / gain).min())
    return lambda k, omega: steady[k] and omega <= fastest[k] * (1.0 + TOLERANCE)
