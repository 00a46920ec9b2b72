"""Fig. 1: a whole cycle of the paper's wave, as the snake lies on the ground by the quasi-static equations."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.snake import Snake
from crawler_models.snake.ground.cycle import TICKS_PER_CYCLE
from crawler_models.snake.snake_plant import SnakePlant
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, RED, Array, Drawing
from crawler_studies.snake.figures.figure_data import FigureData
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.kinds.serpenoid import Serpenoid

N, ALPHA = 4, 45.0  # the paper draws n = 4, and does not say which alpha
BETWEEN = 2  # poses drawn in each interval
APART = 1.7  # links between two poses


def make(data: FigureData) -> Drawing:
    gait = make_gait(data.spec, "serpenoid", {"n": N, "alpha": ALPHA})
    assert isinstance(gait, Serpenoid)
    snake = Snake.from_parameters(data.spec.parameters)
    shown = np.arange(gait.intervals * BETWEEN + 1) / BETWEEN  # intervals since the cycle began
    chains = poses(snake, gait, shown)
    begin = chains[0][0][0]
    names = ["a: straight", "b: grown", *["" for _ in range(gait.intervals - 3)], "d: at the head", "straight again"]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for row, (when, (x, z)) in enumerate(zip(shown, chains, strict=True)):
            level = -APART * row
            whole = when == round(when)
            x = x - begin
            axes.plot([-0.3, snake.links + 1.3], [level, level], color=BLUE, linewidth=0.5)
            axes.plot(x / snake.length, z / snake.length + level, color=BLACK if whole else GREY, linewidth=1.6)
            axes.plot(x[0] / snake.length, z[0] / snake.length + level, "o", color=RED, markersize=4)
            axes.text(-0.6, level, names[round(when)] if whole else "", ha="right", va="center", fontsize=9)
            axes.text(snake.links + 1.6, level, f"{1e3 * x[0]:.1f} mm", va="center", fontsize=9)
        axes.set_aspect("equal")
        axes.set_yticks([])
        axes.set_xlim(-3.2, snake.links + 3.2)
        axes.set_xticks(range(snake.links + 2))
        axes.set_xlabel("x / l; red: the tail's tip, and how far it has come; a row every half of an interval")

    table = {
        "interval": np.repeat(shown, snake.links + 1),
        "point": np.tile(np.arange(snake.links + 1.0), len(shown)),
        "x_m": np.concatenate([x for x, _ in chains]),
        "z_m": np.concatenate([z for _, z in chains]),
    }
    gained = 1e3 * (chains[-1][0][0] - begin)
    title = (
        f"a cycle of the paper's wave on rigid joints, n = {N}, α = {ALPHA:g}°: {gained:.1f} mm, "
        f"$d_{{step}}$ = {1e3 * snake.length * gait.wave.d_unit:.1f} mm"
    )
    return Drawing(1, title, {"": table}, draw, (8.5, 10.0))


def poses(snake: Snake, gait: Serpenoid, shown: Array) -> list[tuple[Array, Array]]:
    """x and z (m) of P_0 to P_N at these intervals of the second cycle; in the first the load settles."""
    ticks = TICKS_PER_CYCLE // gait.intervals
    dt = gait.interval / ticks
    plant = SnakePlant(snake, np.zeros(snake.links - 1))
    found = []
    for tick in range(2 * gait.intervals * ticks + 1):
        position, velocity, _ = gait.sample(tick * dt)
        plant.advance(position, velocity, velocity, dt)
        since = tick / ticks - gait.intervals
        if np.isclose(since, shown).any():
            found.append(_points(plant, snake, position))
    return found


def _points(plant: SnakePlant, snake: Snake, joints: Array) -> tuple[Array, Array]:
    base = plant.base()
    pitch = -2.0 * np.arctan2(base.quaternion[2], base.quaternion[0])  # counter-clockwise
    links = snake.length * np.exp(1j * (pitch + np.concatenate(([0.0], np.cumsum(joints)))))
    chain = np.concatenate(([0j], np.cumsum(links)))
    return base.position[0] + chain.real, base.position[2] + chain.imag
