"""What the feet did in a run, against what its gait meant: numbers, tables and the gait diagram."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from crawler_core.gait_metrics.footfall import BoolArray, Footfall
from crawler_core.types import FloatArray
from crawler_studies.gait_analysis.gait_diagram import INTENDED, draw_cycle, draw_run, folded_cycle, legend
from crawler_studies.plots.drawing import save_columns
from crawler_studies.recordings.footsteps import Footsteps


@dataclass(frozen=True)
class GaitReport:
    """Some whole cycles of a run."""

    title: str
    steps: Footsteps
    cuts: FloatArray  # s, where one cycle ends and the next begins
    intended: BoolArray | None  # for each sample of the steps; None: the gait says nothing of feet

    @cached_property
    def footfall(self) -> Footfall:
        """Raises UserError where there is no whole cycle."""
        return self.steps.footfall(self.cuts, self.intended)

    def numbers(self) -> dict[str, Any]:
        """Of the whole robot, in SI units."""
        found = self.footfall
        moved = self.steps.way(self.cuts[0], self.cuts[-1])
        nearest = found.nearest
        return {
            "cycles": found.cycles,
            "period_s": found.period,
            "step_length_m": moved.ahead / found.cycles,
            "speed_m_s": moved.ahead / found.time,
            "yaw_rate_deg_s": math.degrees(moved.turn) / found.time,
            "feet_down": found.feet_down,
            "share_with_feet_down": found.at_once.tolist(),
            "drag_share": found.drag_of_all,
            "mismatch": found.mismatch,
            "nearest_gait": str(nearest) if nearest else None,
            "nearest_gait_distance": nearest.distance if nearest else None,
        }

    def of_feet(self) -> dict[str, dict[str, float]]:
        """The same of each foot."""
        found = self.footfall
        meant = None if self.intended is None else replace(self.steps, down=self.intended).footfall(self.cuts).duty
        unknown = np.full(len(found.feet), math.nan)
        columns = {
            "duty": found.duty,
            "meant_duty": unknown if meant is None else meant,
            "mid_stance": found.phases,
            "forward_N_s": found.forward,
            "backward_N_s": found.backward,
            "drag_share": found.drag,
            "backward_time_share": found.backward_share,
            "mismatch": unknown if found.missed is None else found.missed,
        }
        return {foot: {key: float(values[i]) for key, values in columns.items()} for i, foot in enumerate(found.feet)}

    def save(self, directory: Path) -> list[Path]:
        """Write picture and tables into an existing directory; returns the files."""
        files = [directory / name for name in ("gait.png", "feet.csv", "cycle.csv", "run.csv")]
        self._draw().savefig(files[0], dpi=100)
        _write(files[1], self.of_feet())
        folded = {name: folded_cycle(self.steps.times, values, self.cuts) for name, values in self._samples().items()}
        bins = len(folded["feet_down"])
        save_columns(files[2], {"share_of_cycle": (np.arange(bins) + 0.5) / bins, **folded})
        save_columns(files[3], {"time_s": self.steps.times, **self._samples()})
        return files

    def _samples(self) -> dict[str, FloatArray]:
        steps = self.steps
        found = {"feet_down": steps.down.sum(axis=1).astype(float)}
        for i, foot in enumerate(steps.feet):
            found[f"{foot}_down"] = steps.down[:, i].astype(float)
            if self.intended is not None:
                found[f"{foot}_meant"] = self.intended[:, i].astype(float)
            found[f"{foot}_forward_N"] = steps.forward[:, i]
        return found

    def _draw(self) -> Figure:
        steps, count = self.steps, len(self.steps.feet)
        figure = Figure(figsize=(13.0, 2.6 + 0.55 * count), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(self.title)
        rows = figure.subplots(2, 2, width_ratios=(2.2, 1.0), height_ratios=(0.5 * count, 1.0), sharex="col")
        (run, cycle), (run_count, cycle_count) = rows
        bars = (steps.times, steps.down, steps.forward, self.intended, steps.feet)
        draw_run(run, *bars)
        draw_cycle(cycle, *bars, self.cuts)
        legend(run, meant=self.intended is not None, known=bool(np.isfinite(steps.forward[steps.down]).any()))
        cycle.set_title(f"mean of {len(self.cuts) - 1} cycles", fontsize="medium")
        down = steps.down.sum(axis=1)
        run_count.fill_between(steps.times, down, step="pre", color=INTENDED, alpha=0.6, linewidth=0.0)
        mean = folded_cycle(steps.times, down, self.cuts)
        ends = np.linspace(0.0, 1.0, len(mean) + 1)
        cycle_count.fill_between(ends, np.append(mean, mean[-1]), step="post", color=INTENDED, alpha=0.6, linewidth=0.0)
        for axes in (run_count, cycle_count):
            axes.set(ylim=(0.0, count), ylabel="feet down" if axes is run_count else "")
            axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
            axes.grid(alpha=0.3)
        for axes in (run, run_count):
            axes.axvspan(steps.times[0], self.cuts[0], color="white", alpha=0.6, linewidth=0.0)  # not looked at
            axes.set_xlim(steps.times[0], steps.times[-1])
        run_count.set_xlabel(run.get_xlabel())
        cycle_count.set_xlabel(cycle.get_xlabel())
        run.set_xlabel("")
        cycle.set_xlabel("")
        return figure


def _write(file: Path, feet: Mapping[str, Mapping[str, float]]) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["foot", *next(iter(feet.values()))])
        writer.writerows([foot, *(f"{value:.9g}" for value in values.values())] for foot, values in feet.items())
