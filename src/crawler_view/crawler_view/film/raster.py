"""Rasterising of triangles with a depth buffer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crawler_core.types import FloatArray


@njit(cache=True, nogil=True)
def rasterise(image: NDArray[np.uint8], near: FloatArray, corners: FloatArray, colours: NDArray[np.uint8]) -> Any:
    """Draw triangles with corners (column, row, 1 / distance). `near` has 1 / distance of each pixel so far.

    1 / distance is linear over a triangle in the picture.
    """
    rows, columns = near.shape
    for k in range(len(corners)):
        (x0, y0, w0), (x1, y1, w1), (x2, y2, w2) = corners[k]
        if min(w0, w1, w2) <= 0.0:
            continue  # behind the camera
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if abs(area) < 1e-9:
            continue
        left, right = max(0, int(np.ceil(min(x0, x1, x2) - 0.5))), min(columns - 1, int(max(x0, x1, x2) - 0.5))
        low, high = max(0, int(np.ceil(min(y0, y1, y2) - 0.5))), min(rows - 1, int(max(y0, y1, y2) - 0.5))
        for j in range(low, high + 1):
            for i in range(left, right + 1):
                x, y = i + 0.5, j + 0.5
                a = ((x1 - x) * (y2 - y) - (x2 - x) * (y1 - y)) / area
                b = ((x2 - x) * (y0 - y) - (x0 - x) * (y2 - y)) / area
                c = 1.0 - a - b
                if a < 0.0 or b < 0.0 or c < 0.0:
                    continue
                w = a * w0 + b * w1 + c * w2
                if w > near[j, i]:
                    near[j, i] = w
                    image[j, i, 0], image[j, i, 1], image[j, i, 2] = colours[k, 0], colours[k, 1], colours[k, 2]
