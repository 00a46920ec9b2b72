"""From where a film is taken: what it shows of the world, and how large the picture is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from crawler_core.types import FloatArray

FIELD = 0.24  # half the picture's width as seen from one metre, m
SIDE, CORNER = (-90.0, 9.0), (-58.0, 24.0)  # azimuth and elevation, degrees: of planar robots, and of others
BAND, USUAL = 36, 700  # pixels above and below, for what is written there; in pictures this wide, larger in wider ones
FLATTEST, HIGHEST = 0.36, 0.62  # height of the picture beside its width
STAYS = 1.2  # lengths of the robot that it may go on before the camera goes along
EVEN = 2  # pixels: encoders of films want even sides


@dataclass(frozen=True)
class Camera:
    """Looks at `target` from `distance` m."""

    axes: FloatArray  # rows: to the right, up and ahead in the picture
    target: FloatArray  # m
    distance: float  # m
    width: int  # pixels
    height: int

    @property
    def focus(self) -> float:
        """Pixels of what is 1 m large, 1 m away."""
        return 0.5 * self.width / FIELD

    @property
    def eye(self) -> FloatArray:
        """m"""
        return self.target - self.distance * self.axes[2]

    def project(self, points: FloatArray) -> FloatArray:
        """Points (..., 3) as (column, row, 1 / distance); negative behind the camera."""
        right, up, ahead = np.moveaxis((points - self.eye) @ self.axes.T, -1, 0)
        near = 1.0 / np.where(np.abs(ahead) > 1e-9, ahead, -1e-9)
        return np.stack(
            [0.5 * self.width + self.focus * right * near, 0.5 * self.height - self.focus * up * near, near], axis=-1
        )

    def ground(self, below: float) -> FloatArray:
        """1 / distance of the ground `below` m under z = 0, for each pixel; negative above the horizon."""
        columns = (np.arange(self.width) + 0.5 - 0.5 * self.width) / self.focus
        rows = (0.5 * self.height - np.arange(self.height) - 0.5) / self.focus
        falls = -(self.axes[2, 2] + columns[None, :] * self.axes[0, 2] + rows[:, None] * self.axes[1, 2])
        return falls / (self.eye[2] + below)

    def times(self, factor: int) -> Camera:
        """The same with as many times the pixels each way."""
        return replace(self, width=self.width * factor, height=self.height * factor)


def cameras(seen: Sequence[FloatArray], bases: FloatArray, planar: bool, width: int, smooth: int) -> list[Camera]:
    """One for each frame, so that all points `seen` (m, 3) in it are in the picture.

    It stands still where the robot does not go far, and otherwise goes with the base, `smooth` frames evened out.
    """
    axes = _axes(*(SIDE if planar else CORNER))
    length = max(float(np.ptp(points, axis=0).max()) for points in seen)
    far = float(np.ptp(bases[:, :2], axis=0).max()) > STAYS * length
    path = _evened(bases, smooth) if far else np.zeros_like(bases)
    path[:, 2] = 0.0
    around = np.concatenate([points - at for points, at in zip(seen, path, strict=True)]) @ axes.T
    low, high = around.min(axis=0), around.max(axis=0)
    middle = 0.5 * (low + high)
    right, up = np.abs(around[:, :2] - middle[:2]).T
    ahead = around[:, 2] - middle[2]
    tall = float(np.ptp(around[:, 1]) / max(np.ptp(around[:, 0]), 1e-9))
    band = BAND * writing(width) / width
    height = round(width * min(HIGHEST, max(FLATTEST, 0.9 * tall + 2.0 * band)) / EVEN) * EVEN
    visible = FIELD * (height / width - 2.0 * band)
    distance = float(max((right / (0.92 * FIELD) - ahead).max(), (up / visible - ahead).max()))
    return [Camera(axes, at + middle @ axes, distance, width, height) for at in path]


def writing(width: int) -> float:
    """How large what is written is in a picture so many pixels wide: it is legible in small ones too."""
    return max(1.0, width / USUAL)


def _axes(azimuth: float, elevation: float) -> FloatArray:
    a, e = math.radians(azimuth), math.radians(elevation)
    ahead = -np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(right, ahead), ahead])


def _evened(path: FloatArray, over: int) -> FloatArray:
    """The mean over some frames before and after, twice; at the ends the path goes on as it was."""
    half = max(1, over // 2)
    for _ in range(2):
        before, after = 2.0 * path[:1] - path[1 : half + 1][::-1], 2.0 * path[-1:] - path[-half - 1 : -1][::-1]
        padded = np.concatenate([before, path, after])
        reach = len(before) + len(after) + 1
        window = np.ones(reach) / reach
        path = np.stack([np.convolve(column, window, "valid") for column in padded.T], axis=-1)
    return path
