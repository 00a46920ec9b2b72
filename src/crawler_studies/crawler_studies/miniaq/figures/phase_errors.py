"""Phase errors as the paper's controller leaves them: the effect of 20 degrees at one leg on the trot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

import numpy as np
from matplotlib.figure import Figure

from crawler_models.miniaq.equations.quadruped import LEG_NAMES
from crawler_models.miniaq.prediction import footfall_of
from crawler_models.miniaq.walks.steady_walk import way_of
from crawler_studies.miniaq.figures.figure_data import FigureData
from crawler_studies.plots.drawing import BLACK, BLUE, PURPLE, RED, Array, Drawing

MAX_ERROR_DEG = 20  # of the paper's controller
ERROR_STEP_DEG = 2.5
EFFECT_LABELS = {
    "speed_mm_s": "speed [mm/s]",
    "mismatch_percent": "mismatch [%]",
    "yaw_deg_s": "yaw [°/s], to the left",
    "hind_drag_percent": "hind feet: backward impulse [%]",
}


def draw_phase(data: FigureData) -> Drawing:
    errors = np.arange(-MAX_ERROR_DEG, MAX_ERROR_DEG + ERROR_STEP_DEG, ERROR_STEP_DEG)
    right = phase_error_effect(data)
    table = {"error_deg": errors}
    for leg in LEG_NAMES:
        found = [phase_error_effect(data, **{f"error_{leg}": float(error)}) if error else right for error in errors]
        table |= {f"{name}_{leg}": np.array([each[name] for each in found]) for name in EFFECT_LABELS}
    corners = all_legs_off(data)

    def draw(figure: Figure) -> None:
        for axes, (name, words) in zip(figure.subplots(2, 2, sharex=True).flat, EFFECT_LABELS.items(), strict=True):
            for leg, colour, style in zip(LEG_NAMES, (BLUE, PURPLE, RED, BLACK), ("-", "--", "-", "--"), strict=True):
                axes.plot(errors, table[f"{name}_{leg}"], style, color=colour, marker=".", label=leg)
            axes.axhspan(corners[name].min(), corners[name].max(), color=BLACK, alpha=0.07, linewidth=0.0)
            axes.set_ylabel(words)
        for axes in figure.axes[2:]:
            axes.set_xlabel("phase error of one leg [°], ahead")
        figure.axes[0].legend(fontsize=8, ncols=4)

    speeds, yaws = (
        np.concatenate([table[f"{name}_{leg}"] for leg in LEG_NAMES]) for name in ("speed_mm_s", "yaw_deg_s")
    )
    title = (
        f"one leg off by up to {MAX_ERROR_DEG}°: {speeds.min():.1f} to {speeds.max():.1f} mm/s instead of "
        f"{right['speed_mm_s']:.1f}, {yaws.min():+.1f} to {yaws.max():+.1f} °/s of yaw;\n"
        f"grey: every leg off by {MAX_ERROR_DEG}°, one way or the other"
    )
    return Drawing("phase", title, {"": table, "corners": corners}, draw, (10.0, 6.5))


def all_legs_off(data: FigureData) -> dict[str, Array]:
    """Return the effects with every leg off by MAX_ERROR_DEG, one way or the other, in all combinations."""
    signs = list(product((-1.0, 1.0), repeat=len(LEG_NAMES)))
    errors = [
        {f"error_{leg}": MAX_ERROR_DEG * sign for leg, sign in zip(LEG_NAMES, each, strict=True)} for each in signs
    ]
    found = [phase_error_effect(data, **each) for each in errors]
    columns = {f"{name}_deg": np.array([each[name] for each in errors]) for name in errors[0]}
    return columns | {name: np.array([each[name] for each in found]) for name in EFFECT_LABELS}


def phase_error_effect(data: FigureData, **errors: float) -> Mapping[str, float]:
    """Return numbers of the steady trot with phase errors (degrees), by the keys of EFFECT_LABELS."""
    gait, steady = data.steady(**errors)
    feet, moved, time = footfall_of(gait, steady), way_of(steady.walk), steady.strides * gait.period
    forward, backward = feet.forward[2:].sum(), feet.backward[2:].sum()
    return {
        "speed_mm_s": 1e3 * moved.forward / time,
        "mismatch_percent": 100.0 * feet.mismatch,
        "yaw_deg_s": math.degrees(moved.turn) / time,
        "hind_drag_percent": 100.0 * backward / (forward + backward),
    }
