"""The plot of a tuning: every evaluation, valid or not, and the best so far."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from crawler_core.types import FloatArray
from crawler_studies.plots.drawing import BLUE, DPI, GREEN, RED
from crawler_studies.tuning.tuning_loop import TuningState

matplotlib.use("Agg")


def draw(state: TuningState, title: str, quantity: str, file: Path) -> None:
    """Write the plot to `file`; `quantity` labels the values."""
    scale, unit = state.criterion.plot_scale
    values = scale * np.array([trial.value for trial in state.trials])
    numbers = np.arange(1, len(values) + 1)
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    axes.set_title(title)
    axes.plot(numbers, values, "o", color=BLUE, alpha=0.6, label="evaluations")
    best = -best_so_far(-values) if state.criterion.minimised else best_so_far(values)
    axes.step(numbers, best, where="post", color=GREEN, linewidth=2.0, label="best so far")
    invalid = numbers[np.isnan(values)]
    if len(invalid):
        # on the lower edge: they have no value
        edge = np.full(len(invalid), 0.02)
        axes.plot(invalid, edge, "x", color=RED, transform=axes.get_xaxis_transform(), label="not valid")
    axes.set_xlabel("evaluation")
    axes.set_ylabel(f"{quantity} [{unit}]" if unit else quantity)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(file, dpi=DPI)


def best_so_far(values: FloatArray) -> FloatArray:
    """Return the largest valid value up to each; NaN before the first."""
    best = np.fmax.accumulate(np.where(np.isnan(values), -np.inf, values))
    return np.where(np.isinf(best), np.nan, best)
