"""Many points of a study at once, for a robot whose equations have a batch: points of one shape share its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from crawler_core.errors import UserError
from crawler_core.parameters import check_value
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.joint_limits import JointLimits
from crawler_core.types import FloatArray
from crawler_models.batch import Batch, BatchShape, Predictions
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.study.study_case import Point, StudyCase
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import GAITS, make_gait
from gait_generators.kinds.limit_check import SAMPLES, TOLERANCE, check_limits

PACE = "gait.omega"


def evaluate_batch(batch: Batch, case: StudyCase, points: Sequence[Point]) -> list[Result | None]:
    """Results; None where the plain solver must be asked, as for a path that is not smooth enough for a table."""
    found: list[Result | None] = [None] * len(points)
    names = list(points[0]) if points else []
    usable = np.array([k for k, point in enumerate(points) if list(point) == names], dtype=int)
    values = np.array([[points[k][name] for name in names] for k in usable], dtype=float).reshape(len(usable), -1)
    for name, column in zip(names, values.T, strict=True):
        for k in usable[_outside(case, name, column)]:
            found[k] = _refusal(case, points[k], name)
    allowed = np.array([found[k] is None for k in usable], dtype=bool)
    usable, values = usable[allowed], values[allowed]
    if not len(usable):
        return found

    paced = GAITS[case.gait_name].paced
    besides = {f"robot.{name}" for name in batch.unshaping} | ({PACE} if paced else set())
    shaping = [k for k, name in enumerate(names) if name not in besides]
    distinct, which = np.unique(values[:, shaping], axis=0, return_inverse=True)
    which = which.reshape(-1)
    keys = [names[k] for k in shaping]
    made = [_shape(batch, case, dict(zip(keys, shape, strict=True))) for shape in distinct]
    good = np.array([shape is not None for shape in made])
    if not good.any():
        return found
    shapes = [BatchShape(*shape) for shape in made if shape is not None]
    gaits = [shape[1] for shape in made if shape is not None]
    row = np.cumsum(good) - 1

    known = good[which]
    usable, values, which = usable[known], values[known], row[which[known]]
    columns = {name: values[:, k] for k, name in enumerate(names)}
    periods = np.array([gait.period for gait in gaits])
    omega = columns[PACE] if paced and PACE in columns else 2.0 * np.pi / periods[which]
    own = case.spec.parameters
    parameters = {
        name: np.broadcast_to(np.asarray(columns.get(f"robot.{name}", own[name]), dtype=float), omega.shape)
        for name in batch.unshaping
        if name in own
    }
    steady, fastest = _limits(case.spec, gaits)
    within = steady[which] & (omega <= fastest[which] * (1.0 + TOLERANCE))
    told = batch.run(shapes, which, omega, parameters)
    for k, inside, trusted, result in zip(usable, within, told.known, _results(told), strict=True):
        if not inside:
            found[k] = _beyond(case, points[k])
        elif trusted:
            found[k] = result
    return found


def _results(told: Predictions) -> Iterator[Result]:
    every = [array.tolist() for array in (told.step_length, told.speed, told.valid)]
    own = [array.tolist() for array in told.columns.values()]
    for step, speed, valid, reason, *numbers in zip(*every, told.reason, *own, strict=True):
        yield Result(step, speed, valid, reason, dict(zip(told.columns, numbers, strict=True)))


def _outside(case: StudyCase, name: str, column: FloatArray) -> NDArray[np.bool_]:
    info = case.info(name)
    low = -np.inf if info.low is None else info.low
    high = np.inf if info.high is None else info.high
    return np.asarray(~((column >= low) & (column <= high)))


def _refusal(case: StudyCase, point: Point, name: str) -> Result:
    try:
        check_value(case.info(name), point[name], label=name)
    except UserError as error:
        return Result.invalid(str(error))
    return Result.invalid(f"{name} = {point[name]!r} is not allowed.")


def _beyond(case: StudyCase, point: Point) -> Result | None:
    try:
        check_limits(*case.at(point))
    except UserError as error:
        return Result.invalid(str(error))
    return None


def _shape(batch: Batch, case: StudyCase, shaping: dict[str, float]) -> tuple[dict[str, float], Gait] | None:
    """The robot's parameters and the gait of one shape; None where there is no such gait.

    Its pace depends on the case alone: with that of a point asked for, rounding would let the others depend on it.
    """
    own = {key.partition(".")[2]: value for key, value in shaping.items() if key.startswith("robot.")}
    gait = {key.partition(".")[2]: value for key, value in shaping.items() if key.startswith("gait.")}
    parameters = {**case.spec.parameters, **own}
    if not batch.fits(parameters):
        return None
    try:
        return parameters, make_gait(case.spec, case.gait_name, {**case.settings.get("gait", {}), **gait})
    except UserError:
        return None


def _limits(spec: RobotSpec, gaits: Sequence[Gait]) -> tuple[NDArray[np.bool_], FloatArray]:
    """Of each gait, whether its path stays within the joints' positions, and the pace that they can follow, rad/s."""
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
    return steady, fastest
