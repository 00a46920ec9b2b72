"""The space of gaits and bodies that is searched, as points of the unit cube."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler_core.types import FloatArray
from crawler_studies.design.designer import Range
from crawler_studies.study.study_case import Point, StudyCase

RESOLUTION = {"deg": 0.1, "Hz": 0.01, "m": 1e-5}  # of a setting, by the unit

MIRRORED = ("gait.ahead_fr", "gait.ahead_hl", "gait.ahead_hr")  # fr mirrors the leg fl, hr the leg hl


@dataclass(frozen=True)
class GaitSpace:
    """Parameters between two ends; one whose ends are the same is fixed and has no axis."""

    names: tuple[str, ...]  # of the axes
    low: FloatArray
    high: FloatArray
    resolution: FloatArray
    periodic: NDArray[np.bool_]  # True for an angle over a whole turn
    fixed: Mapping[str, float]

    @staticmethod
    def of(case: StudyCase, ranges: Mapping[str, Range]) -> GaitSpace:
        """Return the space of ranges by the parameters' full names."""
        varied = {name: ends for name, ends in ranges.items() if ends[0] < ends[1]}
        infos = [case.info(name) for name in varied]
        low, high = (np.array([ends[k] for ends in varied.values()]) for k in (0, 1))
        periodic = np.array([info.periodic for info in infos], dtype=bool)
        fixed = {name: ends[0] for name, ends in ranges.items() if ends[0] == ends[1]}
        resolution = np.array([RESOLUTION.get(info.unit, 1e-4) for info in infos])
        return GaitSpace(tuple(varied), low, high, resolution, periodic & (high - low >= 360.0), fixed)

    def point(self, x: FloatArray) -> Point:
        """Return the point at any place; beyond a face it comes back, as in a mirror or from the other side."""
        values = self.low + self._inside(x) * (self.high - self.low)
        values = np.clip(self.resolution * np.round(values / self.resolution), self.low, self.high)
        return {**self.fixed, **{name: round(float(v), 9) for name, v in zip(self.names, values, strict=True)}}

    def symmetric(self, x: FloatArray) -> FloatArray:
        """Return the place with both sides moved alike, so that the gait keeps its symmetry and goes straight on."""
        where = {name: k for k, name in enumerate(self.names)}
        place = np.array(x)
        if MIRRORED[0] in where:
            k = where[MIRRORED[0]]
            place[k] = np.clip(-self.low[k] / (self.high[k] - self.low[k]), 0.0, 1.0)
        if where.keys() >= set(MIRRORED[1:]):
            place[where[MIRRORED[2]]] = place[where[MIRRORED[1]]]
        return place

    def place(self, point: Point) -> FloatArray:
        """Return the place of a point in the cube, or the nearest to it."""
        values = np.array([point[name] for name in self.names], dtype=float)
        return np.clip((values - self.low) / (self.high - self.low), 0.0, 1.0)

    def distance(self, x: FloatArray, y: FloatArray) -> float:
        """Return the distance of two places."""
        difference = np.abs(self._inside(x) - self._inside(y))
        return float(np.linalg.norm(np.where(self.periodic, np.minimum(difference, 1.0 - difference), difference)))

    def _inside(self, x: FloatArray) -> FloatArray:
        return np.asarray(np.where(self.periodic, np.mod(x, 1.0), 1.0 - np.abs(1.0 - np.mod(x, 2.0))))
