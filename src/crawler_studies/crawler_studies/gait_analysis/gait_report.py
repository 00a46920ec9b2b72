"""The contacts of a run beside those that its gait intends: numbers, tables and the gait diagram."""

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
from crawler_studies.gait_analysis.gait_diagram import INTENDED, draw_cycle, draw_legend, draw_run, fold_cycles
from crawler_studies.plots.drawing import save_columns
from crawler_studies.recordings.footsteps import Footsteps


@dataclass(frozen=True)
class GaitReport:
    """Whole cycles of a run."""

    title: str
    steps: Footsteps
    cycle_ends: FloatArray  # s
    intended: BoolArray | None  # contacts at each sample of the steps; None: the gait intends none

    @cached_property
    def footfall(self) -> Footfall:
        """Raises UserError where there is no whole cycle."""
        return self.steps.measure_footfall(self.cycle_ends, self.intended)

    def numbers(self) -> dict[str, Any]:
        """Return the numbers of the whole robot, in SI units."""
        found = self.footfall
        path = self.steps.measure_ground_path(self.cycle_ends[0], self.cycle_ends[-1])
        nearest = found.nearest
        return {
            "cycles": found.cycles,
            "period_s": found.period,
            "step_length_m": path.forward / found.cycles,
            "speed_m_s": path.forward / found.time,
            "yaw_rate_deg_s": math.degrees(path.turn) / found.time,
            "feet_down": found.feet_down,
            "share_with_feet_down": found.feet_down_shares.tolist(),
            "drag_share": found.total_drag,
            "mismatch": found.mismatch,
            "nearest_gait": str(nearest) if nearest else None,
            "nearest_gait_distance": nearest.distance if nearest else None,
        }

    def foot_numbers(self) -> dict[str, dict[str, float]]:
        """Return the numbers of each foot."""
        found = self.footfall
        meant_duty = missed = np.full(len(found.feet), math.nan)
        if self.intended is not None:
            meant_duty = replace(self.steps, down=self.intended).measure_footfall(self.cycle_ends).duty
        if found.mismatch_shares is not None:
            missed = found.mismatch_shares
        columns = {
            "duty": found.duty,
            "meant_duty": meant_duty,
            "mid_stance": found.phases,
            "forward_N_s": found.forward,
            "backward_N_s": found.backward,
            "drag_share": found.drag,
            "backward_time_share": found.backward_share,
            "mismatch": missed,
        }
        return {foot: {key: float(values[i]) for key, values in columns.items()} for i, foot in enumerate(found.feet)}

    def save(self, directory: Path) -> list[Path]:
        """Write plot and tables into an existing directory; return the files."""
        files = [directory / name for name in ("gait.png", "feet.csv", "cycle.csv", "run.csv")]
        self._draw().savefig(files[0], dpi=100)
        _write_feet(files[1], self.foot_numbers())
        samples = self._samples()
        folded = {name: fold_cycles(self.steps.times, values, self.cycle_ends) for name, values in samples.items()}
        bins = len(folded["feet_down"])
        save_columns(files[2], {"share_of_cycle": (np.arange(bins) + 0.5) / bins, **folded})
        save_columns(files[3], {"time_s": self.steps.times, **samples})
        return files

    def _samples(self) -> dict[str, FloatArray]:
        steps = self.steps
        samples = {"feet_down": steps.down.sum(axis=1).astype(float)}
        for i, foot in enumerate(steps.feet):
            samples[f"{foot}_down"] = steps.down[:, i].astype(float)
            if self.intended is not None:
                samples[f"{foot}_meant"] = self.intended[:, i].astype(float)
            samples[f"{foot}_forward_N"] = steps.forward[:, i]
        return samples

    def _draw(self) -> Figure:
        steps, feet_count = self.steps, len(self.steps.feet)
        figure = Figure(figsize=(13.0, 2.6 + 0.55 * feet_count), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(self.title)
        rows = figure.subplots(2, 2, width_ratios=(2.2, 1.0), height_ratios=(0.5 * feet_count, 1.0), sharex="col")
        (run, cycle), (run_count, cycle_count) = rows
        bars = (steps.times, steps.down, steps.forward, self.intended, steps.feet)
        draw_run(run, *bars)
        draw_cycle(cycle, *bars, self.cycle_ends)
        is_force_known = bool(np.isfinite(steps.forward[steps.down]).any())
        draw_legend(run, has_intended=self.intended is not None, has_forces=is_force_known)
        cycle.set_title(f"mean of {len(self.cycle_ends) - 1} cycles", fontsize="medium")
        down = steps.down.sum(axis=1)
        run_count.fill_between(steps.times, down, step="pre", color=INTENDED, alpha=0.6, linewidth=0.0)
        mean = fold_cycles(steps.times, down, self.cycle_ends)
        edges = np.linspace(0.0, 1.0, len(mean) + 1)
        cycle_count.fill_between(
            edges, np.append(mean, mean[-1]), step="post", color=INTENDED, alpha=0.6, linewidth=0.0
        )
        for axes in (run_count, cycle_count):
            axes.set(ylim=(0.0, feet_count), ylabel="feet down" if axes is run_count else "")
            axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
            axes.grid(alpha=0.3)
        for axes in (run, run_count):
            axes.axvspan(steps.times[0], self.cycle_ends[0], color="white", alpha=0.6, linewidth=0.0)  # skipped
            axes.set_xlim(steps.times[0], steps.times[-1])
        for upper, lower in ((run, run_count), (cycle, cycle_count)):
            lower.set_xlabel(upper.get_xlabel())
            upper.set_xlabel("")
        return figure


def _write_feet(file: Path, feet: Mapping[str, Mapping[str, float]]) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["foot", *next(iter(feet.values()))])
        writer.writerows([foot, *(f"{value:.9g}" for value in values.values())] for foot, values in feet.items())
