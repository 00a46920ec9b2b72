"""The ground of a film: a platform with lines at round distances, some of them labelled."""

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
MIN_LABEL_SPACING_PX = 90
LEGEND_HEIGHT_PX = 28
MAX_LINE_SPACING, LABEL_OFFSET = 0.35, 0.09  # robot lengths; offset from the robot


@dataclass(frozen=True)
class Ground:
    """A platform from `low` to `high` (x, y in m), with lines every `step` m."""

    low: FloatArray
    high: FloatArray
    step: float
    label_y: float  # m

    @staticmethod
    def below(seen: FloatArray, length: float, planar: bool) -> Ground:
        """Return the ground for all points `seen` (m) of a robot that is `length` m long."""
        decade = 10.0 ** math.floor(math.log10(MAX_LINE_SPACING * length))
        step = decade * next(digit for digit in (5, 2, 1) if digit * decade <= MAX_LINE_SPACING * length)
        label_y = float(seen[:, 1].min() - LABEL_OFFSET * length)
        margin = np.array([4.0, 0.9] if planar else [0.9, 0.9]) * length
        low, high = seen[:, :2].min(axis=0) - margin, seen[:, :2].max(axis=0) + margin
        low, high = np.floor(low / step) * step, np.ceil(high / step) * step
        return Ground(low, high, step, label_y)

    def draw(self, draw: ImageDraw, camera: Camera, font: FreeTypeFont, scale: float) -> None:
        """Draw the ground onto an empty picture; `scale` is the size of text and lines."""
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
        every = self._label_every(camera.focus * self.step / camera.distance / scale)
        for k, x in self._marks(0):
            at = camera.project(np.array([x, self.label_y, 0.0]))
            if (
                k % every == 0
                and at[2] > 0.0
                and 0.0 < at[0] < camera.width
                and at[1] < camera.height - LEGEND_HEIGHT_PX * scale
            ):
                draw.text((float(at[0]), float(at[1])), self._label(k, every), font=font, fill=INK, anchor="mm")

    def _marks(self, axis: int) -> Iterator[tuple[int, float]]:
        for k in range(round(self.low[axis] / self.step), round(self.high[axis] / self.step) + 1):
            yield k, k * self.step

    @staticmethod
    def _label_every(spacing: float) -> int:
        """Return n, where each n-th line is labelled; `spacing` is that of the lines (px)."""
        return next(n for n in (1, 2, 5, 10, 20, 50, 100) if n * spacing > MIN_LABEL_SPACING_PX or n == 100)

    def _label(self, k: int, every: int) -> str:
        place = k * self.step
        return f"{place:.4g} m" if self.step * every >= 0.1 - 1e-9 else f"{round(1e3 * place, 6):g} mm"

    def _line(self, draw: ImageDraw, camera: Camera, ends: FloatArray, thick: int) -> None:
        points = _visible(camera, ends)
        if len(points) >= 2:
            draw.line([(float(x), float(y)) for x, y in points[:2]], fill=LINE, width=thick)


def _visible(camera: Camera, points: FloatArray) -> FloatArray:
    """Return a polygon or line on the picture, cut off near the camera and behind it."""
    min_depth = 0.05 * camera.distance
    depth = (points - camera.eye) @ camera.axes[2] - min_depth
    points_in_front = []
    for i, point in enumerate(points):
        before = depth[i - 1]
        if before * depth[i] < 0.0:
            points_in_front.append(point + (points[i - 1] - point) * depth[i] / (depth[i] - before))
        if depth[i] >= 0.0:
            points_in_front.append(point)
    return camera.project(np.array(points_in_front).reshape(-1, 3))[:, :2]
