"""Draw the same run on several backends: distances, their differences, contact modes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_cli.plots.run_plot import COLOURS
from crawler_core.types import ContactMode
from crawler_studies.simulation.backend_comparison import BackendTrace

matplotlib.use("Agg")
SHADES = ((ContactMode.STICK, 1.0), (ContactMode.SLIP_POS, 0.5), (ContactMode.SLIP_NEG, 0.2))
STRIP_GAP = 0.8  # between the strips of two feet, in strips


def draw(traces: Sequence[BackendTrace], feet: Sequence[str], title: str, file: Path) -> None:
    """Write the picture to `file`; differences are from the first trace."""
    strips_inches = max(1.6, 0.13 * len(feet) * len(traces))
    figure = Figure(figsize=(10.0, 5.6 + strips_inches), layout="constrained")
    figure.suptitle(title)
    distance, difference, modes = figure.subplots(3, 1, sharex=True, height_ratios=(2.6, 2.0, strips_inches))
    _draw_distances(distance, difference, traces)
    _draw_modes(modes, traces, feet)
    figure.savefig(file, dpi=100)


def _draw_distances(distance: Axes, difference: Axes, traces: Sequence[BackendTrace]) -> None:
    first = traces[0]
    for i, run in enumerate(traces):
        distance.plot(run.times, 1e3 * run.forward, color=COLOURS[i], label=run.backend, linewidth=2.0 - 0.5 * i)
        if run is not first:
            ahead = np.interp(first.times, run.times, run.forward, right=np.nan) - first.forward
            difference.plot(first.times, 1e3 * ahead, color=COLOURS[i], label=f"{run.backend} less {first.backend}")
    difference.axhline(0.0, color=COLOURS[0], linewidth=0.8)
    distance.set_ylabel("distance [mm]")
    difference.set_ylabel("difference [mm]")
    for axes in (distance, difference):
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, frameon=False, borderaxespad=0.1)
        axes.grid(alpha=0.3)


def _draw_modes(axes: Axes, traces: Sequence[BackendTrace], feet: Sequence[str]) -> None:
    """Draw a strip for each foot and run, shaded by contact mode."""
    for j in range(len(feet)):
        for i, run in enumerate(traces):
            low = -(j * (len(traces) + STRIP_GAP) + i)
            for mode, alpha in SHADES:
                where = run.modes[:, j] == mode
                axes.fill_between(run.times, low, low - 0.85, where=where, color=COLOURS[i], alpha=alpha, linewidth=0)
    middles = [-(j * (len(traces) + STRIP_GAP) + 0.5 * len(traces)) for j in range(len(feet))]
    axes.set_yticks(middles, feet)
    axes.set_ylabel("dark: sticks,\nlighter: slips on,\nlightest: slips back")
    axes.set_xlabel("time [s]")
