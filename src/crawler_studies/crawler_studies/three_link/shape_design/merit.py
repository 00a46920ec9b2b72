"""The merit of shapes: the worst step over the frictions, less penalties for violated constraints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crawler_core.types import FloatArray
from crawler_models.three_link import Crawl, crawl
from crawler_models.three_link.compiled import ShapeTable
from crawler_studies.three_link.shape_design.constraints import DENSE_SAMPLES, excess, sample_all, stroke_deficit
from crawler_studies.three_link.shape_design.task import ShapeTask
from gait_generators.kinds.fourier import Fourier
from gait_generators.shapes.shape import Shape
from gait_generators.shapes.shape_file import Predicted

SEARCH_SAMPLES = 256
MIN_STROKE_CHANGE = 1e-4  # of the stroke per sample: a reversal between two samples of the search is excluded
INVALID_MERIT_MM = -1e6  # behind any valid gait, however far beyond its limits
MIN_PAINLEVE_MARGIN = 0.1  # the smallest denominator over the mass that is trusted, of 1


def merits(task: ShapeTask, shapes: list[Shape]) -> FloatArray:
    """Return the worst step of each shape less its penalties, mm."""
    gaits = [Fourier(task.omega, shape) for shape in shapes]
    mu1, mu2 = task.frictions.T
    steps = ShapeTable(task.robot, gaits).crawl(
        np.arange(len(gaits))[:, np.newaxis], task.omega, mu1, mu2, task.robot.g
    )
    worst, mean = steps.step_length.min(axis=1), steps.step_length.mean(axis=1)  # NaN where one is not valid
    # a little of the mean, which gives a direction where the worst is flat
    merit = 1e3 * (worst + 0.02 * mean)
    weight = task.robot.mass * task.robot.g
    load = steps.min_normal_force.min(axis=1) / weight
    merit -= 1e4 * np.maximum(0.0, 1.02 * task.limits.lightest_foot - load)
    merit -= 1e3 * np.maximum(0.0, MIN_PAINLEVE_MARGIN - steps.painleve_margin.min(axis=1))
    merit = np.where(np.isfinite(merit), merit, INVALID_MERIT_MM + 1e3 * np.nan_to_num(np.minimum(load, 0.0)))
    motion = sample_all(task, shapes, SEARCH_SAMPLES)
    merit -= 3e3 * (excess(task, motion) - 1.0).clip(min=0.0).sum(axis=0)
    slow = stroke_deficit(task, motion, MIN_STROKE_CHANGE)
    merit -= 3.0 * (slow > 0.0) + 5e4 * slow
    return np.asarray(merit)


def verify(task: ShapeTask, shape: Shape) -> Predicted | None:
    """Return the reference simulation's prediction; None for a broken limit or a gait that is not valid everywhere."""
    motion = sample_all(task, [shape], DENSE_SAMPLES)
    if excess(task, motion).max() > 1.0 or stroke_deficit(task, motion, 0.0).max() > 0.0:
        return None
    gait = Fourier(task.omega, shape)
    steps: list[Crawl] = []
    for mu1, mu2 in task.frictions:
        steps.append(crawl(replace(task.robot, mu1=mu1, mu2=mu2), gait))
        if not steps[-1].valid:
            return None
    lightest = min(step.min_normal_force for step in steps) / (task.robot.mass * task.robot.g)
    if lightest < task.limits.lightest_foot:
        return None
    return Predicted(1e3 * min(step.step_length for step in steps), 1e3 * steps[0].step_length, lightest)
