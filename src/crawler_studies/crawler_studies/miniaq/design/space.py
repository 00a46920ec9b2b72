"""The gaits and bodies that are searched, as points of the unit cube."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler_core.types import FloatArray
from crawler_studies.design.designer import Range
from crawler_studies.study.study_case import Point, StudyCase

GRAIN = {"deg": 0.1, "Hz": 0.01, "m": 1e-5}  # what a person would set, by the unit

MIRRORED = ("gait.ahead_fr", "gait.ahead_hl", "gait.ahead_hr")  # the first is the leg fl's mirror image, the last hl's


@dataclass(frozen=True)
class Space:
    """Parameters between two ends; one whose ends are the same is kept and has no axis."""

    names: tuple[str, ...]  # of the axes
    low: FloatArray
    high: FloatArray
    grain: FloatArray
    turning: NDArray[np.bool_]  # whether an axis comes round: an angle over a whole turn
    kept: Mapping[str, float]

    @staticmethod
    def of(case: StudyCase, ranges: Mapping[str, Range]) -> Space:
        """Of ranges by the parameters' full names."""
        varied = {name: ends for name, ends in ranges.items() if ends[0] < ends[1]}
        infos = [case.info(name) for name in varied]
        low, high = (np.array([ends[k] for ends in varied.values()]) for k in (0, 1))
        turning = np.array([info.periodic for info in infos], dtype=bool)
        kept = {name: ends[0] for name, ends in ranges.items() if ends[0] == ends[1]}
        grain = np.array([GRAIN.get(info.unit, 1e-4) for info in infos])
        return Space(tuple(varied), low, high, grain, turning & (high - low >= 360.0), kept)

    def point(self, x: FloatArray) -> Point:
        """At any place: beyond a face it comes back, as in a mirror or from the other side."""
        values = self.low + self._inside(x) * (self.high - self.low)
        values = np.clip(self.grain * np.round(values / self.grain), self.low, self.high)
        return {**self.kept, **{name: round(float(v), 9) for name, v in zip(self.names, values, strict=True)}}

    def alike(self, x: FloatArray) -> FloatArray:
        """With both sides moved by the same: the gait keeps its own symmetry, and goes straight on."""
        where = {name: k for k, name in enumerate(self.names)}
        alike = np.array(x)
        if MIRRORED[0] in where:
            k = where[MIRRORED[0]]
            alike[k] = np.clip(-self.low[k] / (self.high[k] - self.low[k]), 0.0, 1.0)
        if where.keys() >= set(MIRRORED[1:]):
            alike[where[MIRRORED[2]]] = alike[where[MIRRORED[1]]]
        return alike

    def place(self, point: Point) -> FloatArray:
        """Where a point is in the cube, or nearest to it."""
        values = np.array([point[name] for name in self.names], dtype=float)
        return np.clip((values - self.low) / (self.high - self.low), 0.0, 1.0)

    def distance(self, x: FloatArray, y: FloatArray) -> float:
        """Between two places."""
        apart = np.abs(self._inside(x) - self._inside(y))
        return float(np.linalg.norm(np.where(self.turning, np.minimum(apart, 1.0 - apart), apart)))

    def _inside(self, x: FloatArray) -> FloatArray:
        return np.asarray(np.where(self.turning, np.mod(x, 1.0), 1.0 - np.abs(1.0 - np.mod(x, 2.0))))
