"""The cameras of a film: viewpoint, and size of the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from crawler_core.types import FloatArray

HALF_FIELD_M = 0.24  # half the width of the picture, 1 m away
SIDE_VIEW, CORNER_VIEW = (-90.0, 9.0), (-58.0, 24.0)  # azimuth and elevation, degrees: of planar robots, of others
TEXT_BAND_PX, REFERENCE_WIDTH_PX = 36, 700  # space for text above and below, in a picture of this width
MIN_ASPECT, MAX_ASPECT = 0.36, 0.62  # height / width
FOLLOW_DISTANCE = 1.2  # robot lengths; if the robot goes further, the camera follows it
EVEN_PX = 2  # film encoders need even sides


@dataclass(frozen=True)
class Camera:
    """A camera that looks at `target` from `distance` m."""

    axes: FloatArray  # rows: right, up and forward in the picture
    target: FloatArray  # m
    distance: float  # m
    width: int  # pixels
    height: int

    @property
    def focus(self) -> float:
        """Return the pixels of a length of 1 m, 1 m away."""
        return 0.5 * self.width / HALF_FIELD_M

    @property
    def eye(self) -> FloatArray:
        """Return the position of the camera, m."""
        return self.target - self.distance * self.axes[2]

    def project(self, points: FloatArray) -> FloatArray:
        """Project points (..., 3) to (column, row, 1 / distance), which is negative behind the camera."""
        right, up, forward = np.moveaxis((points - self.eye) @ self.axes.T, -1, 0)
        near = 1.0 / np.where(np.abs(forward) > 1e-9, forward, -1e-9)
        return np.stack(
            [0.5 * self.width + self.focus * right * near, 0.5 * self.height - self.focus * up * near, near], axis=-1
        )

    def ground(self, below: float) -> FloatArray:
        """Return 1 / distance of the ground `below` m under z = 0, per pixel; negative above the horizon."""
        columns = (np.arange(self.width) + 0.5 - 0.5 * self.width) / self.focus
        rows = (0.5 * self.height - np.arange(self.height) - 0.5) / self.focus
        descent = -(self.axes[2, 2] + columns[None, :] * self.axes[0, 2] + rows[:, None] * self.axes[1, 2])
        return descent / (self.eye[2] + below)

    def times(self, factor: int) -> Camera:
        """Return the same camera with `factor` times the pixels in each direction."""
        return replace(self, width=self.width * factor, height=self.height * factor)


def cameras(seen: Sequence[FloatArray], bases: FloatArray, planar: bool, width: int, smooth: int) -> list[Camera]:
    """Return a camera for each frame that has all its points `seen` (m, 3) in the picture.

    If the robot goes far, the camera follows the base, smoothed over `smooth` frames; otherwise it stands still.
    """
    axes = _axes(*(SIDE_VIEW if planar else CORNER_VIEW))
    length = max(float(np.ptp(points, axis=0).max()) for points in seen)
    far = float(np.ptp(bases[:, :2], axis=0).max()) > FOLLOW_DISTANCE * length
    path = _smoothed(bases, smooth) if far else np.zeros_like(bases)
    path[:, 2] = 0.0
    around = np.concatenate([points - at for points, at in zip(seen, path, strict=True)]) @ axes.T
    low, high = around.min(axis=0), around.max(axis=0)
    middle = 0.5 * (low + high)
    right, up = np.abs(around[:, :2] - middle[:2]).T
    forward = around[:, 2] - middle[2]
    tall = float(np.ptp(around[:, 1]) / max(np.ptp(around[:, 0]), 1e-9))
    band = TEXT_BAND_PX * text_scale(width) / width
    height = round(width * min(MAX_ASPECT, max(MIN_ASPECT, 0.9 * tall + 2.0 * band)) / EVEN_PX) * EVEN_PX
    visible = HALF_FIELD_M * (height / width - 2.0 * band)
    distance = float(max((right / (0.92 * HALF_FIELD_M) - forward).max(), (up / visible - forward).max()))
    return [Camera(axes, at + middle @ axes, distance, width, height) for at in path]


def text_scale(width: int) -> float:
    """Return the size of text in a picture of this width (px); small pictures have legible text too."""
    return max(1.0, width / REFERENCE_WIDTH_PX)


def _axes(azimuth: float, elevation: float) -> FloatArray:
    a, e = math.radians(azimuth), math.radians(elevation)
    forward = -np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(right, forward), forward])


def _smoothed(path: FloatArray, over: int) -> FloatArray:
    """Return the running mean over `over` frames, taken twice; beyond its ends the path is reflected at them."""
    half = max(1, over // 2)
    for _ in range(2):
        before, after = 2.0 * path[:1] - path[1 : half + 1][::-1], 2.0 * path[-1:] - path[-half - 1 : -1][::-1]
        padded = np.concatenate([before, path, after])
        reach = len(before) + len(after) + 1
        window = np.ones(reach) / reach
        path = np.stack([np.convolve(column, window, "valid") for column in padded.T], axis=-1)
    return path
