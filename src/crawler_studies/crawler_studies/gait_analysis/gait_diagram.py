"""Gait diagrams: a row for each foot, with its intended contacts above the achieved ones.

An achieved contact is green where the ground pushes the foot forward, red where it pushes backward.
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

INTENDED, FORWARD, BACKWARD = "#555555", "#2e9e4f", "#c0392b"
DOWN = "#4c78a8"  # down, with an unknown force
MAX_COLUMNS = 4000  # of a picture
MAX_BINS = 200  # of a mean cycle
ROW_LINES = 10  # of a foot's row
INTENDED_LINES, ACHIEVED_LINES = slice(1, 4), slice(4, 9)


def draw_run(
    axes: Axes, times: FloatArray, down: BoolArray, forward: FloatArray, intended: BoolArray | None, feet: Sequence[str]
) -> None:
    """Draw all of `times` (n, s): contacts `down` and `intended` (n, feet), and the force `forward` (n, feet, N).

    A sample stands for the time since the one before.
    """
    count = min(MAX_COLUMNS, max(1, len(times) - 1))
    middles = np.linspace(times[0], times[-1], 2 * count + 1)[1::2]
    samples = np.searchsorted(times, middles).clip(max=len(times) - 1)
    intended_shares = None if intended is None else intended[samples].astype(float)
    span = times[0], times[-1]
    _draw_bars(axes, span, down[samples].astype(float), forward[samples], intended_shares, feet)
    axes.set_xlabel("time [s]")


def draw_cycle(
    axes: Axes,
    times: FloatArray,
    down: BoolArray,
    forward: FloatArray,
    intended: BoolArray | None,
    feet: Sequence[str],
    cycle_ends: FloatArray,
) -> None:
    """Draw the mean of the cycles between `cycle_ends` (s): a foot that is down in some of them has a pale bar."""
    intended_shares = None if intended is None else fold_cycles(times, intended, cycle_ends)
    push = fold_cycles(times, np.where(down, forward, 0.0), cycle_ends)
    _draw_bars(axes, (0.0, 1.0), fold_cycles(times, down, cycle_ends), push, intended_shares, feet)
    axes.set_xlabel("share of a cycle")


def fold_cycles(times: FloatArray, values: ArrayLike, cycle_ends: FloatArray) -> FloatArray:
    """Return the mean of `values` (n, ...) over the cycles, in as many parts of a cycle as the samples allow."""
    bins = min(MAX_BINS, max(1, int((len(times) - 1) * np.diff(cycle_ends).min() / np.ptp(times))))
    return mean_cycle(times - 0.5 * np.append(0.0, np.diff(times)), values, cycle_ends, bins)


def draw_legend(axes: Axes, has_intended: bool, has_forces: bool) -> None:
    """Draw the legend above the axes."""
    entries = [(INTENDED, "meant to be down")] if has_intended else []
    entries += [(FORWARD, "pushed forward"), (BACKWARD, "backward")] if has_forces else [(DOWN, "down")]
    handles = [Patch(color=colour, label=label) for colour, label in entries]
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False)


def _draw_bars(
    axes: Axes,
    span: tuple[float, float],
    down: FloatArray,
    forward: FloatArray,
    intended: FloatArray | None,
    feet: Sequence[str],
) -> None:
    """Draw shares (columns, feet) as the strength of the bars' colours."""
    image = np.ones((len(feet), ROW_LINES, len(down), 3))
    push = np.where(forward < 0.0, 2, np.where(np.isnan(forward), 0, 1))
    colours = np.array([to_rgb(colour) for colour in (DOWN, FORWARD, BACKWARD)])[push]
    image[:, ACHIEVED_LINES] = _fade(colours, down).transpose(1, 0, 2)[:, np.newaxis]
    if intended is not None:
        faded = _fade(np.broadcast_to(to_rgb(INTENDED), colours.shape), intended)
        image[:, INTENDED_LINES] = faded.transpose(1, 0, 2)[:, np.newaxis]
    picture = image.reshape(len(feet) * ROW_LINES, len(down), 3)
    axes.imshow(picture, aspect="auto", interpolation="nearest", extent=(*span, len(feet), 0))
    axes.set_yticks(np.arange(len(feet)) + 0.5, feet)
    axes.tick_params(axis="y", length=0)


def _fade(colours: FloatArray, share: FloatArray) -> FloatArray:
    strength = np.nan_to_num(share)[..., np.newaxis]
    return np.asarray(1.0 - strength * (1.0 - colours), dtype=float)
