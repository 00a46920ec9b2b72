"""Whether shapes keep the joints' limits and make one stroke per period: many shapes at once, on a grid of phases."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from crawler_core.motion import Sample
from crawler_core.types import FloatArray
from crawler_models.three_link.equations.closed_chain import closed_chain
from crawler_studies.three_link.shape_design.task import Task
from gait_generators.shapes.shape import Shape

DENSE = 4096  # samples per period for the last word; the sixth harmonic hides 1e-5 of its height between them


def sample_all(task: Task, shapes: list[Shape], samples: int) -> Sample:
    """One period of each shape; arrays are (samples, shapes, joints)."""
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


def excess(task: Task, motion: Sample) -> FloatArray:
    """Largest swing, velocity and acceleration over what the limits allow: a row each, a column per shape."""
    away = np.abs(motion.position - math.radians(task.limits.centre)) / math.radians(task.limits.swing)
    velocity = np.abs(motion.velocity) / task.limits.velocity
    acceleration = np.abs(motion.acceleration) / task.limits.acceleration
    return np.array([value.max(axis=(0, 2)) for value in (away, velocity, acceleration)])


def stroke_deficit(task: Task, motion: Sample, slowest: float) -> FloatArray:
    """How much the feet's distance lacks to one rise and one fall per period, m; 0 where it has just these.

    `slowest` is the least change per sample over the whole stroke, but for the samples around the two reversals: a
    distance that as good as stands still between samples may go back there.
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


def within(task: Task, shape: Shape) -> Shape:
    """The shape, a little smaller where it exceeds the limits between the samples of the search."""
    most = 1.0 - 2e-5  # so that neither rounding nor what lies between two samples exceeds them again
    factor = most / max(most, float(excess(task, sample_all(task, [shape], DENSE)).max()))
    centre = math.radians(task.limits.centre)
    return replace(shape, mean=centre + factor * (shape.mean - centre), cos=factor * shape.cos, sin=factor * shape.sin)
