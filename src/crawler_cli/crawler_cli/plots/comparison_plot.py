"""The picture of several runs beside each other: the ways gone, their differences, what each foot did."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from crawler_cli.plots.run_plot import COLOURS
from crawler_core.types import ContactMode
from crawler_studies.simulation.backend_comparison import BackendTrace

matplotlib.use("Agg")
SHADES = ((ContactMode.STICK, 1.0), (ContactMode.SLIP_POS, 0.5), (ContactMode.SLIP_NEG, 0.2))


def draw(traces: Sequence[BackendTrace], feet: Sequence[str], title: str, file: Path) -> None:
    """Write it to `file`; differences are from the first of `traces`."""
    rows = len(feet) * len(traces)
    strips = max(1.6, 0.13 * rows)  # inches
    figure = Figure(figsize=(10.0, 5.6 + strips), layout="constrained")
    figure.suptitle(title)
    way, apart, modes = figure.subplots(3, 1, sharex=True, height_ratios=(2.6, 2.0, strips))
    first = traces[0]
    for i, run in enumerate(traces):
        way.plot(run.times, 1e3 * run.forward, color=COLOURS[i], label=run.backend, linewidth=2.0 - 0.5 * i)
        if run is not first:
            off = np.interp(first.times, run.times, run.forward, right=np.nan) - first.forward
            apart.plot(first.times, 1e3 * off, color=COLOURS[i], label=f"{run.backend} less {first.backend}")
    apart.axhline(0.0, color=COLOURS[0], linewidth=0.8)
    way.set_ylabel("way [mm]")
    apart.set_ylabel("difference [mm]")
    for axes in (way, apart):
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, frameon=False, borderaxespad=0.1)
        axes.grid(alpha=0.3)
    for j in range(len(feet)):
        for i, run in enumerate(traces):
            low = -(j * (len(traces) + 0.8) + i)
            for mode, alpha in SHADES:
                there = run.modes[:, j] == mode
                modes.fill_between(run.times, low, low - 0.85, where=there, color=COLOURS[i], alpha=alpha, linewidth=0)
    middles = [-(j * (len(traces) + 0.8) + 0.5 * len(traces)) for j in range(len(feet))]
    modes.set_yticks(middles, feet)
    modes.set_ylabel("dark: it sticks, lighter:\nslides on, lightest: back")
    modes.set_xlabel("time [s]")
    figure.savefig(file, dpi=100)
