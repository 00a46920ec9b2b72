"""Shapes as vectors of numbers of like importance, for the search."""

from __future__ import annotations

import math

import numpy as np

from crawler_core.types import FloatArray
from crawler_studies.three_link.shape_design.task import Task
from gait_generators.shapes.shape import Shape


def encode(task: Task, shape: Shape, harmonics: int) -> FloatArray:
    """Offsets of the means from the centre, then the coefficients times their order k: what they add to the speed."""
    rows = np.zeros((2, len(task.joints), harmonics))
    kept = min(harmonics, shape.harmonics)
    rows[:, :, :kept] = shape.cos[:, :kept], shape.sin[:, :kept]
    rows *= np.arange(1, harmonics + 1)
    return np.concatenate((shape.mean - math.radians(task.limits.centre), rows.ravel()))


def decode(task: Task, point: FloatArray) -> Shape:
    """The shape of a vector."""
    joints = len(task.joints)
    rows = point[joints:].reshape(2, joints, -1)
    cos, sin = rows / np.arange(1, rows.shape[2] + 1)
    return Shape(task.joints, math.radians(task.limits.centre) + point[:joints], cos, sin)
