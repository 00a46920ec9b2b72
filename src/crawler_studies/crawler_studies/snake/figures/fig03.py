"""Fig. 3: a step from curve 1 to curve 2, by the paper's angles and by those that close the chain."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from crawler_models.snake import Wave
from crawler_studies.plots.drawing import BLACK, RED, Array, Drawing
from crawler_studies.snake.figures.figure_data import FigureData, wave

N, ALPHA = 6, 30.0  # as printed
SHOWN = np.linspace(0.0, 1.0, 6)


def make(data: FigureData) -> Drawing:
    waves = {"the paper's (8)": wave(N, ALPHA), "closed": wave(N, ALPHA, closed=True)}
    curves = {label: points(one, SHOWN) for label, one in waves.items()}

    def draw(figure: Figure) -> None:
        for axes, (label, one) in zip(figure.subplots(2, 1, sharex=True), waves.items(), strict=True):
            for k, s in enumerate(SHOWN):
                ends = k in (0, len(SHOWN) - 1)
                x, y = curves[label][k]
                colour = colormaps["viridis"](0.9 * s)  # from dark to light
                axes.plot(x, y, color=colour, linewidth=2.0 if ends else 1.1, label=f"s = {s:.1f}")
            path = points(one, np.linspace(0.0, 1.0, 101))[:, :, N + 1]
            axes.plot(path[:, 0], path[:, 1], color=RED, linewidth=1.4, label="way of $P_7$")
            axes.axhline(0.0, color=BLACK, linewidth=0.6)
            x, y = (round(float(value), 4) + 0.0 for value in one.worst)  # + 0.0: no negative zero
            axes.set_title(f"{label}: f = {one.f:.4f}, largest X error {x:+.4f} l, Y error {y:+.4f} l", fontsize=10)
            axes.set_aspect("equal")
            axes.set_ylabel("y / l")
            axes.legend(fontsize=7, ncols=4, loc="upper right")
        axes.set_xlabel("x / l, from the point $P_0$ where the step begins")

    columns: dict[str, Array] = {}
    for name, label in (("paper", "the paper's (8)"), ("closed", "closed")):
        x, y = np.moveaxis(curves[label], 1, 0)
        columns |= {f"x_{name}_l": x.ravel(), f"y_{name}_l": y.ravel()}
    table = {"s": np.repeat(SHOWN, N + 3), "point": np.tile(np.arange(N + 3.0), len(SHOWN)), **columns}
    return Drawing(3, f"a step of the wave, n = {N}, α = {ALPHA:g}°", {"": table}, draw, (9.0, 6.5))


def points(one: Wave, s: Array) -> Array:
    """x and y of P_0 to P_(n+2) in links, with P_0 held: shape (s, 2, n + 3). The paper anchors it so."""
    direction = np.exp(1j * np.cumsum(one.angles(s).value, axis=-1))
    chain = np.concatenate([np.zeros((len(s), 1)), np.cumsum(direction, axis=-1)], axis=-1)
    return np.stack([chain.real, chain.imag], axis=1)
