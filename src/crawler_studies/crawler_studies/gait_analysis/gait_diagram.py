"""Gait diagrams: a row for each foot, when it is meant to be on the ground above when it is.

What the ground pushes forward is green, what it pushes backward red.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from crawler_core.gait_metrics.footfall import BoolArray, mean_cycle
from crawler_core.types import FloatArray

INTENDED, FORWARD, BACKWARD, DOWN = "#555555", "#2e9e4f", "#c0392b", "#4c78a8"  # DOWN: nobody knows which way
MOST_COLUMNS = 4000  # of a picture
BINS = 200  # of a mean cycle
LINES = 10  # of a foot's row
MEANT, DONE = slice(1, 4), slice(4, 9)  # the lines of its two bars


def draw_run(
    axes: Axes, times: FloatArray, down: BoolArray, forward: FloatArray, intended: BoolArray | None, feet: Sequence[str]
) -> None:
    """The whole of `times` (n, s): `down` and `intended` (n, feet), and the force along the heading (n, feet, N).

    A sample stands for the time since the one before.
    """
    count = min(MOST_COLUMNS, max(1, len(times) - 1))
    middles = np.linspace(times[0], times[-1], 2 * count + 1)[1::2]
    at = np.searchsorted(times, middles).clip(max=len(times) - 1)
    meant = None if intended is None else intended[at].astype(float)
    _bars(axes, (times[0], times[-1]), down[at].astype(float), forward[at], meant, feet)
    axes.set_xlabel("time [s]")


def draw_cycle(
    axes: Axes,
    times: FloatArray,
    down: BoolArray,
    forward: FloatArray,
    intended: BoolArray | None,
    feet: Sequence[str],
    cuts: FloatArray,
) -> None:
    """The mean of the cycles between `cuts` (s): where a foot is down in some of them only, its bar is pale."""
    meant = None if intended is None else folded_cycle(times, intended, cuts)
    push = folded_cycle(times, np.where(down, forward, 0.0), cuts)
    _bars(axes, (0.0, 1.0), folded_cycle(times, down, cuts), push, meant, feet)
    axes.set_xlabel("share of a cycle")


def folded_cycle(times: FloatArray, values: ArrayLike, cuts: FloatArray) -> FloatArray:
    """The mean of `values` (n, ...) over the cycles, in as many parts of a cycle as the samples allow."""
    bins = min(BINS, max(1, int((len(times) - 1) * np.diff(cuts).min() / np.ptp(times))))
    return mean_cycle(times - 0.5 * np.append(0.0, np.diff(times)), values, cuts, bins)


def legend(axes: Axes, meant: bool, known: bool) -> None:
    """Above the axes. `meant`: something was; `known`: the forces are."""
    entries = [(INTENDED, "meant to be down")] if meant else []
    entries += [(FORWARD, "pushed forward"), (BACKWARD, "backward")] if known else [(DOWN, "down")]
    handles = [Patch(color=colour, label=label) for colour, label in entries]
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False)


def _bars(
    axes: Axes,
    span: tuple[float, float],
    down: FloatArray,
    forward: FloatArray,
    meant: FloatArray | None,
    feet: Sequence[str],
) -> None:
    """Shares (columns, feet) as how strongly the bars are coloured."""
    image = np.ones((len(feet), LINES, len(down), 3))
    push = np.where(forward < 0.0, 2, np.where(np.isnan(forward), 0, 1))
    colours = np.array([to_rgb(colour) for colour in (DOWN, FORWARD, BACKWARD)])[push]
    image[:, DONE] = _pale(colours, down).transpose(1, 0, 2)[:, np.newaxis]
    if meant is not None:
        image[:, MEANT] = _pale(np.broadcast_to(to_rgb(INTENDED), colours.shape), meant).transpose(1, 0, 2)[
            :, np.newaxis
        ]
    picture = image.reshape(len(feet) * LINES, len(down), 3)
    axes.imshow(picture, aspect="auto", interpolation="nearest", extent=(*span, len(feet), 0))
    axes.set_yticks(np.arange(len(feet)) + 0.5, feet)
    axes.tick_params(axis="y", length=0)


def _pale(colours: FloatArray, share: FloatArray) -> FloatArray:
    strength = np.nan_to_num(share)[..., np.newaxis]
    return np.asarray(1.0 - strength * (1.0 - colours), dtype=float)
