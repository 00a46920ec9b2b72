"""The ground of a film: a platform with lines at round lengths, some with their place written on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PIL.ImageDraw import ImageDraw
from PIL.ImageFont import FreeTypeFont

from crawler_core.types import FloatArray
from crawler_view.film.camera import Camera

SKY, PLATFORM, LINE, INK = (250, 251, 252), (228, 233, 238), (196, 204, 213), (112, 122, 135)
WRITTEN = 90  # pixels between two places that are written on, at least
UNWRITTEN = 28  # pixels from the lower edge up: the meaning of the colours stands there
# parts of the robot's length
STEP = 0.35  # between two lines, at most
BESIDE = 0.09  # between the robot and what is written


@dataclass(frozen=True)
class Ground:
    """A platform from `low` to `high` (x, y in m), with lines every `step` m."""

    low: FloatArray
    high: FloatArray
    step: float
    along: float  # where it is written on, as y in m

    @staticmethod
    def below(seen: FloatArray, length: float, planar: bool) -> Ground:
        """For all that is seen (points, m) of a robot that is `length` m long."""
        decade = 10.0 ** math.floor(math.log10(STEP * length))
        step = decade * next(digit for digit in (5, 2, 1) if digit * decade <= STEP * length)
        along = float(seen[:, 1].min() - BESIDE * length)
        margin = np.array([4.0, 0.9] if planar else [0.9, 0.9]) * length
        low, high = seen[:, :2].min(axis=0) - margin, seen[:, :2].max(axis=0) + margin
        low, high = np.floor(low / step) * step, np.ceil(high / step) * step
        return Ground(low, high, step, along)

    def draw(self, draw: ImageDraw, camera: Camera, font: FreeTypeFont, scale: float) -> None:
        """Onto an empty picture, `scale` times as thick as in a usual one."""
        (x0, y0), (x1, y1) = self.low, self.high
        corners = _visible(camera, np.array([(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)]))
        if len(corners) < 3:
            return
        draw.polygon([(float(x), float(y)) for x, y in corners], fill=PLATFORM)
        thin = max(1, round(0.5 * scale))
        for k, x in self._marks(0):
            self._line(draw, camera, np.array([(x, y0, 0.0), (x, y1, 0.0)]), thin * (2 if k % 5 == 0 else 1))
        for k, y in self._marks(1):
            self._line(draw, camera, np.array([(x0, y, 0.0), (x1, y, 0.0)]), thin * (2 if k % 5 == 0 else 1))
        every = self._every(camera.focus * self.step / camera.distance / scale)
        for k, x in self._marks(0):
            at = camera.project(np.array([x, self.along, 0.0]))
            if (
                k % every == 0
                and at[2] > 0.0
                and 0.0 < at[0] < camera.width
                and at[1] < camera.height - UNWRITTEN * scale
            ):
                draw.text((float(at[0]), float(at[1])), self._name(k, every), font=font, fill=INK, anchor="mm")

    def _marks(self, axis: int) -> Iterator[tuple[int, float]]:
        for k in range(round(self.low[axis] / self.step), round(self.high[axis] / self.step) + 1):
            yield k, k * self.step

    @staticmethod
    def _every(apart: float) -> int:
        return next(every for every in (1, 2, 5, 10, 20, 50, 100) if every * apart > WRITTEN or every == 100)

    def _name(self, k: int, every: int) -> str:
        place = k * self.step
        return f"{place:.4g} m" if self.step * every >= 0.1 - 1e-9 else f"{round(1e3 * place, 6):g} mm"

    def _line(self, draw: ImageDraw, camera: Camera, ends: FloatArray, thick: int) -> None:
        points = _visible(camera, ends)
        if len(points) >= 2:
            draw.line([(float(x), float(y)) for x, y in points[:2]], fill=LINE, width=thick)


def _visible(camera: Camera, points: FloatArray) -> FloatArray:
    """A polygon or line on the picture, cut off where it comes too near to the camera or behind it."""
    nearest = 0.05 * camera.distance
    ahead = (points - camera.eye) @ camera.axes[2] - nearest
    kept = []
    for i, point in enumerate(points):
        before = ahead[i - 1]
        if before * ahead[i] < 0.0:
            kept.append(point + (points[i - 1] - point) * ahead[i] / (ahead[i] - before))
        if ahead[i] >= 0.0:
            kept.append(point)
    return camera.project(np.array(kept).reshape(-1, 3))[:, :2]
