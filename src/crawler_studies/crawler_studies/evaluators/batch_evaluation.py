"""Evaluation of many points at once, for equations that have a batch. Points of one shape share its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler_core.errors import UserError
from crawler_core.parameters import check_value
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.joint_limits import JointLimits
from crawler_core.types import FloatArray
from crawler_models.interface.batch import Batch, BatchShape, Predictions
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.study.study_case import Point, StudyCase, group_by_section
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import GAITS, make_gait
from gait_generators.kinds.limit_check import LIMIT_SAMPLES, LIMIT_TOLERANCE, check_limits

PACE_PARAMETER = "gait.omega"


@dataclass(frozen=True)
class _PointTable:
    """Points that vary the same parameters, one row each."""

    names: list[str]  # of the parameters
    index: NDArray[np.int_]  # (rows,), the place of each row in the list of points
    values: FloatArray  # (rows, names)

    def rows(self, chosen: NDArray[np.bool_]) -> _PointTable:
        return _PointTable(self.names, self.index[chosen], self.values[chosen])

    def column(self, name: str) -> FloatArray:
        return np.asarray(self.values[:, self.names.index(name)])


@dataclass(frozen=True)
class _Shape:
    """One robot and gait path of the batch."""

    parameters: dict[str, float]
    gait: Gait


def evaluate_batch(batch: Batch, case: StudyCase, points: Sequence[Point]) -> list[Result | None]:
    """Return the results; None for a point that the plain solver must evaluate.

    Such a point has another set of parameters than the first, or a path that is not smooth enough for a table.
    """
    results: list[Result | None] = [None] * len(points)
    if not points:
        return results
    table = _reject_outside(case, points, _tabulate(points), results)
    shapes, which, table = _group_by_shape(batch, case, table)
    if not shapes:
        return results
    omega = _paces(case, table, shapes, which)
    parameters = {
        name: np.broadcast_to(np.asarray(values, dtype=float), omega.shape)
        for name, values in _free_parameters(batch, case, table).items()
    }
    within = _within_limits(case.spec, shapes, which, omega)
    predictions = batch.run([BatchShape(shape.parameters, shape.gait) for shape in shapes], which, omega, parameters)
    rows = zip(table.index, within, predictions.known, _iterate_results(predictions), strict=True)
    for k, is_within, is_known, result in rows:
        if not is_within:
            results[k] = _explain_limits(case, points[k])
        elif is_known:
            results[k] = result
    return results


def _tabulate(points: Sequence[Point]) -> _PointTable:
    names = list(points[0])
    index = np.array([k for k, point in enumerate(points) if list(point) == names], dtype=int)
    values = np.array([[points[k][name] for name in names] for k in index], dtype=float)
    return _PointTable(names, index, values.reshape(len(index), -1))


def _reject_outside(
    case: StudyCase, points: Sequence[Point], table: _PointTable, results: list[Result | None]
) -> _PointTable:
    """Enter an invalid result for each point outside of a parameter's range; return the other rows."""
    for name in table.names:
        info, column = case.info(name), table.column(name)
        low = -np.inf if info.lower is None else info.lower
        high = np.inf if info.upper is None else info.upper
        for k in table.index[~((column >= low) & (column <= high))]:
            results[k] = _explain_value(case, points[k], name)
    return table.rows(np.array([results[k] is None for k in table.index], dtype=bool))


def _group_by_shape(
    batch: Batch, case: StudyCase, table: _PointTable
) -> tuple[list[_Shape], NDArray[np.int_], _PointTable]:
    """Return the shapes, the number of each row's shape, and the rows that have one."""
    free = {f"robot.{name}" for name in batch.unshaping}
    if GAITS[case.gait_name].paced:
        free.add(PACE_PARAMETER)
    shaping = [k for k, name in enumerate(table.names) if name not in free]
    distinct, which = np.unique(table.values[:, shaping], axis=0, return_inverse=True)
    shapes: list[_Shape] = []
    numbers = []
    for values in distinct:
        shape = _make_shape(batch, case, dict(zip([table.names[k] for k in shaping], values, strict=True)))
        numbers.append(-1 if shape is None else len(shapes))
        shapes += [] if shape is None else [shape]
    which = np.array(numbers, dtype=int)[which.reshape(-1)]
    return shapes, which[which >= 0], table.rows(which >= 0)


def _make_shape(batch: Batch, case: StudyCase, values: dict[str, float]) -> _Shape | None:
    """Return the shape with these parameters, or None where there is no such gait.

    Its pace depends on the case alone. With the pace of one of its points, rounding would let the others depend on it.
    """
    sections = group_by_section(values)
    parameters = {**case.spec.parameters, **sections.get("robot", {})}
    if not batch.fits(parameters):
        return None
    gait_values = {**case.settings.get("gait", {}), **sections.get("gait", {})}
    try:
        return _Shape(parameters, make_gait(case.spec, case.gait_name, gait_values))
    except UserError:
        return None


def _paces(case: StudyCase, table: _PointTable, shapes: Sequence[_Shape], which: NDArray[np.int_]) -> FloatArray:
    """Return the pace of each row, rad/s."""
    if GAITS[case.gait_name].paced and PACE_PARAMETER in table.names:
        return table.column(PACE_PARAMETER)
    return np.asarray(2.0 * np.pi / np.array([shape.gait.period for shape in shapes])[which])


def _free_parameters(batch: Batch, case: StudyCase, table: _PointTable) -> dict[str, float | FloatArray]:
    """Return the robot's parameters that may differ between the rows of a shape."""
    defaults = case.spec.parameters
    return {
        name: table.column(f"robot.{name}") if f"robot.{name}" in table.names else defaults[name]
        for name in batch.unshaping
        if name in defaults
    }


def _within_limits(
    spec: RobotSpec, shapes: Sequence[_Shape], which: NDArray[np.int_], omega: FloatArray
) -> NDArray[np.bool_]:
    """Return for each row whether the joints can reach its path's positions and follow its pace."""
    limits = JointLimits.of(spec)
    reachable = np.zeros(len(shapes), dtype=bool)
    fastest = np.zeros(len(shapes))  # rad/s
    for k, gait in enumerate(shape.gait for shape in shapes):
        scale = gait.period / (2.0 * np.pi)
        q, dq, ddq = gait.sample(np.linspace(0.0, gait.period, LIMIT_SAMPLES, endpoint=False))
        reachable[k] = bool((q <= limits.upper + LIMIT_TOLERANCE).all() and (q >= limits.lower - LIMIT_TOLERANCE).all())
        velocity = (np.abs(dq).max(axis=0) * scale).clip(1e-300)  # at a pace of 1 rad/s
        acceleration = (np.abs(ddq).max(axis=0) * scale**2).clip(1e-300)
        fastest[k] = min((limits.velocity / velocity).min(), np.sqrt(limits.acceleration / acceleration).min())
    return np.asarray(reachable[which] & (omega <= fastest[which] * (1.0 + LIMIT_TOLERANCE)))


def _iterate_results(predictions: Predictions) -> Iterator[Result]:
    common = [array.tolist() for array in (predictions.step_length, predictions.speed, predictions.valid)]
    extra = [array.tolist() for array in predictions.columns.values()]
    for step, speed, valid, reason, *numbers in zip(*common, predictions.reason, *extra, strict=True):
        yield Result(step, speed, valid, reason, dict(zip(predictions.columns, numbers, strict=True)))


def _explain_value(case: StudyCase, point: Point, name: str) -> Result:
    try:
        check_value(case.info(name), point[name], label=name)
    except UserError as error:
        return Result.invalid(str(error))
    return Result.invalid(f"{name} = {point[name]!r} is not allowed.")


def _explain_limits(case: StudyCase, point: Point) -> Result | None:
    try:
        check_limits(*case.at(point))
    except UserError as error:
        return Result.invalid(str(error))
    return None
