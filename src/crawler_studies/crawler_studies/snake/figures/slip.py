"""The loss of displacement: that of Table 2 on a wooden floor beside physics, for both waves."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_studies.evaluators.evaluator import Result
from crawler_studies.plots.drawing import BLUE, GREY, RED, Array, Drawing
from crawler_studies.snake.figures.figure_data import GAITS, FigureData
from crawler_studies.snake.figures.tables import TABLE_2

CASES = [(row.n, row.alpha_deg) for row in TABLE_2]


def draw_slip(data: FigureData) -> Drawing:
    measured = {gait: data.measured(gait, CASES) for gait in GAITS}
    predicted = {gait: data.predicted(gait, CASES) for gait in GAITS}
    columns: dict[str, Array] = {
        "n": np.array([float(n) for n, _ in CASES]),
        "alpha_deg": np.array([alpha for _, alpha in CASES]),
        "loss_printed_percent": np.array([row.loss_percent for row in TABLE_2]),
        "d_step_mm": 1e3 * _extra_column(predicted["serpenoid"], "d_step_m"),
    }
    for gait in GAITS:
        columns |= {
            f"step_{gait}_mm": 1e3 * np.array([result.step_length for result in measured[gait]]),
            f"slip_{gait}_percent": 100.0 * _extra_column(measured[gait], "slip"),
            f"slip_{gait}_equations_percent": 100.0 * _extra_column(predicted[gait], "slip"),
            f"friction_work_{gait}_J": _extra_column(measured[gait], "friction_work_J"),
            f"peak_torque_{gait}_N_m": _extra_column(measured[gait], "peak_torque_N_m"),
            f"f_{gait}": _extra_column(measured[gait], "f"),
        }

    def draw(figure: Figure) -> None:
        left, middle, right = figure.subplots(1, 3, width_ratios=(1.3, 1.0, 1.0))
        x = np.arange(len(CASES))
        left.bar(x - 0.27, columns["loss_printed_percent"], 0.25, color=GREY, label="printed, wooden floor")
        _draw_pairs(left, data.engine, columns, "slip_{}_percent", "loss of displacement [%]")
        _draw_pairs(middle, data.engine, columns, "friction_work_{}_J", "work of friction per cycle [J]")
        _draw_pairs(right, data.engine, columns, "peak_torque_{}_N_m", "largest joint torque [N m]")

    friction = data.spec.parameters["friction"]
    stiffness = data.spec.document["backends"]["physics"]["servo_stiffness"]
    title = (
        f"(d - Δx) / d, measured by the paper and in {data.engine} with friction {friction:g} and {stiffness:g} N m/rad"
    )
    return Drawing("slip", title, {"": columns}, draw, (13.0, 4.4))


def _extra_column(results: list[Result], name: str) -> Array:
    return np.array([result.extra.get(name, np.nan) for result in results])


def _draw_pairs(axes: Axes, engine: str, columns: dict[str, Array], name: str, label: str) -> None:
    x = np.arange(len(CASES))
    for gait, colour, offset in zip(GAITS, (RED, BLUE), (0.0, 0.27), strict=True):
        axes.bar(x + offset, columns[name.format(gait)], 0.25, color=colour, label=f"{engine}, {gait}")
    axes.set_xticks(x, [f"{n}, {alpha:g}°" for n, alpha in CASES], rotation=30)
    axes.set_xlabel("n, α")
    axes.set_ylabel(label)
    axes.axhline(0.0, color="black", linewidth=0.6)
    axes.legend(fontsize=8)
