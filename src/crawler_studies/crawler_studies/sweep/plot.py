"""The plot of a sweep: curves over one variable, maps over two, a row of maps over three."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from crawler_core.files import replace_file
from crawler_core.types import FloatArray
from crawler_studies.plots.drawing import BLUE, DPI
from crawler_studies.plots.signed_colours import signed_scale, signed_ticks
from crawler_studies.sweep.grid import Grid
from crawler_studies.sweep.variable import SweepVariable

matplotlib.use("Agg")
MAX_PANELS = 9
NOISE_SHARE = 1e-6  # of the largest value: the error of a solver where the gait's symmetry forbids a step
NOT_VALID_STYLE: dict[str, Any] = {"facecolor": "0.88", "edgecolor": "0.65", "hatch": "////", "linewidth": 0.0}


def describe_plot(grid: Grid) -> str:
    """Describe the plot in a sentence."""
    names = grid.names
    if len(names) == 1:
        return f"step length and speed over {names[0]}."
    if len(names) == 2:
        return f"maps of step length and speed over {names[0]} and {names[1]}."
    if len(names) == 3:
        across = _panel_axis(grid)
        count = len(grid.variables[across].values)
        rest = " and ".join(name for i, name in enumerate(names) if i != across)
        shown = f"{MAX_PANELS} of the {count}" if count > MAX_PANELS else f"each of the {count}"
        return f"maps of the speed over {rest}, one for {shown} values of {names[across]}."
    return f"none: {len(names)} variables do not fit into one, the table has everything."


def draw(grid: Grid, step: FloatArray, speed: FloatArray, title: str, file: Path) -> None:
    """Write the plot to `file`. The other arguments are those of `make_figure`."""
    figure = make_figure(grid, step, speed, title)
    replace_file(file, lambda part: figure.savefig(part, dpi=DPI))


def make_figure(grid: Grid, step: FloatArray, speed: FloatArray, title: str) -> Figure:
    """Make the figure for one to three variables.

    `step` (m) and `speed` (m/s) have the grid's shape and are NaN where a point is not valid.
    """
    millimetres = ((1e3 * step, "step length [mm]"), (1e3 * speed, "speed [mm/s]"))
    if len(grid.variables) == 1:
        figure = Figure(figsize=(8, 7), layout="constrained")
        for axes, (values, label) in zip(figure.subplots(2, 1, sharex=True), millimetres, strict=True):
            _draw_curve(axes, grid.variables[0], values, label)
    elif len(grid.variables) == 2:
        figure = Figure(figsize=(13, 5.4), layout="constrained")
        for axes, (values, label) in zip(figure.subplots(1, 2), millimetres, strict=True):
            mesh = _draw_map(axes, grid.variables[0], grid.variables[1], values, signed_scale(values))
            figure.colorbar(mesh, ax=axes, label=label, ticks=signed_ticks(mesh.norm))
    else:
        figure = _draw_panels(grid, 1e3 * speed)
    valid = int(np.isfinite(step).sum())
    figure.suptitle(f"{title}\n{grid.size} points, {grid.size - valid} not valid (hatched); line: the step is zero")
    return figure


def _panel_axis(grid: Grid) -> int:
    """Return the variable that has a panel for each value: the one with the fewest values."""
    return int(np.argmin(grid.shape))


def _draw_panels(grid: Grid, speed: FloatArray) -> Figure:
    across = _panel_axis(grid)
    variable = grid.variables[across]
    first, second = (v for i, v in enumerate(grid.variables) if i != across)
    count = min(len(variable.values), MAX_PANELS)
    chosen = np.linspace(0, len(variable.values) - 1, count).round().astype(int)
    columns = min(count, 3)
    rows = -(-count // columns)
    figure = Figure(figsize=(4.6 * columns + 1.0, 3.8 * rows + 0.8), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False)
    for axes in panels.flat:
        axes.set_visible(False)
    maps = np.moveaxis(speed, across, 0)
    scale = signed_scale(maps[chosen])
    for axes, k in zip(panels.flat, chosen, strict=False):
        axes.set_visible(True)
        mesh = _draw_map(axes, first, second, maps[k], scale)
        axes.set_title(f"{_label(variable)} = {variable.values[k]:g}", fontsize="medium")
    figure.colorbar(mesh, ax=figure.axes, label="speed [mm/s]", ticks=signed_ticks(mesh.norm))
    return figure


def _draw_curve(axes: Axes, variable: SweepVariable, values: FloatArray, label: str) -> None:
    x = np.array(variable.values)
    edges = _cell_edges(x, variable.log)
    for k in np.flatnonzero(np.isnan(values)):
        axes.axvspan(edges[k], edges[k + 1], **NOT_VALID_STYLE)
    axes.plot(x, values, color=BLUE, marker="." if len(x) <= 60 else "")
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set(xlabel=_label(variable), ylabel=label, xlim=(edges[0], edges[-1]))
    if variable.log:
        axes.set_xscale("log")
    axes.grid(alpha=0.3)


def _draw_map(
    axes: Axes, first: SweepVariable, second: SweepVariable, values: FloatArray, scale: tuple[str, Normalize]
) -> QuadMesh:
    x, y = np.array(first.values), np.array(second.values)
    axes.patch.set(**NOT_VALID_STYLE)  # shows where no cell covers it
    cells = np.ma.masked_invalid(values.T)
    colormap, norm = scale
    mesh = axes.pcolormesh(_cell_edges(x, first.log), _cell_edges(y, second.log), cells, cmap=colormap, norm=norm)
    signed = np.ma.masked_where(np.abs(cells) <= NOISE_SHARE * np.abs(cells).max(), cells)
    if cells.count() and signed.min() < 0.0 < signed.max():
        axes.contour(x, y, signed, levels=[0.0], colors="black", linewidths=1.2)
    axes.set(xlabel=_label(first), ylabel=_label(second))
    if first.log:
        axes.set_xscale("log")
    if second.log:
        axes.set_yscale("log")
    return mesh


def _cell_edges(centres: FloatArray, log: bool) -> FloatArray:
    """Return the borders of the cells around `centres`, half-way between them."""
    c = np.log(centres) if log else centres
    inner = 0.5 * (c[1:] + c[:-1])
    edges = np.concatenate([[c[0] - (inner[0] - c[0])], inner, [c[-1] + (c[-1] - inner[-1])]])
    return np.exp(edges) if log else edges


def _label(variable: SweepVariable) -> str:
    return f"{variable.name} [{variable.unit}]" if variable.unit else variable.name
