"""The constraints of shapes: the joints' limits and one stroke per period, for many shapes on a grid of phases."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from crawler_core.motion import Sample
from crawler_core.types import FloatArray
from crawler_models.three_link.equations.closed_chain import closed_chain
from crawler_studies.three_link.shape_design.task import ShapeTask
from gait_generators.shapes.shape import Shape

DENSE_SAMPLES = 4096  # per period, for the final check: the sixth harmonic hides 1e-5 of its height between them


def sample_all(task: ShapeTask, shapes: list[Shape], samples: int) -> Sample:
    """Sample one period of each shape; arrays are (samples, shapes, joints)."""
    orders = np.arange(1, shapes[0].harmonics + 1)
    angle = np.outer(np.arange(samples) * (2.0 * math.pi / samples), orders)
    a = np.array([shape.cos for shape in shapes]).T  # (harmonics, joints, shapes)
    b = np.array([shape.sin for shape in shapes]).T
    rate = (task.omega * orders)[:, np.newaxis, np.newaxis]

    def series(cos: FloatArray, sin: FloatArray) -> FloatArray:
        values = np.tensordot(np.cos(angle), cos, 1) + np.tensordot(np.sin(angle), sin, 1)
        return np.asarray(np.swapaxes(values, 1, 2))

    mean = np.array([shape.mean for shape in shapes])
    return Sample(mean + series(a, b), series(rate * b, -rate * a), -series(rate**2 * a, rate**2 * b))


def excess(task: ShapeTask, motion: Sample) -> FloatArray:
    """Return the largest swing, velocity and acceleration over their limits: a row each, a column per shape."""
    swing = np.abs(motion.position - math.radians(task.limits.centre)) / math.radians(task.limits.swing)
    velocity = np.abs(motion.velocity) / task.limits.velocity
    acceleration = np.abs(motion.acceleration) / task.limits.acceleration
    return np.array([value.max(axis=(0, 2)) for value in (swing, velocity, acceleration)])


def stroke_deficit(task: ShapeTask, motion: Sample, slowest: float) -> FloatArray:
    """Return what the feet's distance lacks to one rise and one fall per period, m; 0 where it has just these.

    `slowest` is the least change per sample over the whole stroke, except at the samples around the two reversals. A
    distance that hardly changes between two samples may reverse there.
    """
    d = closed_chain(task.robot, *motion).d
    columns = np.arange(d.shape[1])
    count = len(d)
    d = d[(np.argmin(d, axis=0) + np.arange(count)[:, np.newaxis]) % count, columns]  # begins with the rise
    change = np.diff(d, axis=0, append=d[:1])
    place, top = np.arange(count)[:, np.newaxis], np.argmax(d, axis=0)
    turning = (place < 2) | (place >= count - 2) | (np.abs(place + 0.5 - top) < 2.0)
    least = np.where(turning, 0.0, slowest * (d.max(axis=0) - d.min(axis=0)))
    return np.asarray(np.maximum(0.0, least - np.where(place < top, change, -change)).sum(axis=0))


def shrink_to_limits(task: ShapeTask, shape: Shape) -> Shape:
    """Return the shape, a little smaller where it exceeds the limits between the samples of the search."""
    most = 1.0 - 2e-5  # so that neither rounding nor a peak between two samples exceeds them again
    factor = most / max(most, float(excess(task, sample_all(task, [shape], DENSE_SAMPLES)).max()))
    centre = math.radians(task.limits.centre)
    return replace(shape, mean=centre + factor * (shape.mean - centre), cos=factor * shape.cos, sin=factor * shape.sin)
