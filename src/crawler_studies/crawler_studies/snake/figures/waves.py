"""Figs. 1, 3 and 4: a cycle of the wave on the ground, a step of it, and its d_unit and f over alpha."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from crawler_models.snake import Snake, Wave, alpha_limit
from crawler_models.snake.ground.cycle import TICKS_PER_CYCLE
from crawler_models.snake.snake_plant import SnakePlant
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, RED, Array, Drawing
from crawler_studies.snake.figures.figure_data import FigureData, wave
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.kinds.snake.serpenoid import Serpenoid

CYCLE_N, CYCLE_ALPHA_DEG = 4, 45.0  # the paper draws n = 4, and does not say which alpha
POSES_PER_INTERVAL = 2
POSE_DISTANCE_LINKS = 1.7  # between two poses in the figure
STEP_N, STEP_ALPHA_DEG = 6, 30.0  # as printed
STEP_PHASES = np.linspace(0.0, 1.0, 6)
LIMIT_N = 6


def draw_fig01(data: FigureData) -> Drawing:
    gait = make_gait(data.spec, "serpenoid", {"n": CYCLE_N, "alpha": CYCLE_ALPHA_DEG})
    assert isinstance(gait, Serpenoid)
    snake = Snake.from_parameters(data.spec.parameters)
    shown = np.arange(gait.intervals * POSES_PER_INTERVAL + 1) / POSES_PER_INTERVAL  # intervals since the cycle began
    chains = cycle_poses(snake, gait, shown)
    begin = chains[0][0][0]
    names = ["a: straight", "b: grown", *["" for _ in range(gait.intervals - 3)], "d: at the head", "straight again"]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for row, (when, (x, z)) in enumerate(zip(shown, chains, strict=True)):
            level = -POSE_DISTANCE_LINKS * row
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
        f"a cycle of the paper's wave on rigid joints, n = {CYCLE_N}, α = {CYCLE_ALPHA_DEG:g}°: {gained:.1f} mm, "
        f"$d_{{step}}$ = {1e3 * snake.length * gait.wave.d_unit:.1f} mm"
    )
    return Drawing(1, title, {"": table}, draw, (8.5, 10.0))


def cycle_poses(snake: Snake, gait: Serpenoid, shown: Array) -> list[tuple[Array, Array]]:
    """Return x and z (m) of P_0 to P_N at these intervals of the second cycle; in the first the load settles."""
    ticks = TICKS_PER_CYCLE // gait.intervals
    dt = gait.interval / ticks
    plant = SnakePlant(snake, np.zeros(snake.links - 1))
    found = []
    for tick in range(2 * gait.intervals * ticks + 1):
        position, velocity, _ = gait.sample(tick * dt)
        plant.advance(position, velocity, velocity, dt)
        since = tick / ticks - gait.intervals
        if np.isclose(since, shown).any():
            found.append(_pose_points(plant, snake, position))
    return found


def _pose_points(plant: SnakePlant, snake: Snake, joints: Array) -> tuple[Array, Array]:
    base = plant.base()
    pitch = -2.0 * np.arctan2(base.quaternion[2], base.quaternion[0])  # counter-clockwise
    links = snake.length * np.exp(1j * (pitch + np.concatenate(([0.0], np.cumsum(joints)))))
    chain = np.concatenate(([0j], np.cumsum(links)))
    return base.position[0] + chain.real, base.position[2] + chain.imag


def draw_fig03(data: FigureData) -> Drawing:
    waves = {"the paper's (8)": wave(STEP_N, STEP_ALPHA_DEG), "closed": wave(STEP_N, STEP_ALPHA_DEG, closed=True)}
    curves = {label: step_points(one, STEP_PHASES) for label, one in waves.items()}

    def draw(figure: Figure) -> None:
        for axes, (label, one) in zip(figure.subplots(2, 1, sharex=True), waves.items(), strict=True):
            for k, s in enumerate(STEP_PHASES):
                ends = k in (0, len(STEP_PHASES) - 1)
                x, y = curves[label][k]
                colour = colormaps["viridis"](0.9 * s)  # from dark to light
                axes.plot(x, y, color=colour, linewidth=2.0 if ends else 1.1, label=f"s = {s:.1f}")
            path = step_points(one, np.linspace(0.0, 1.0, 101))[:, :, STEP_N + 1]
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
    table = {
        "s": np.repeat(STEP_PHASES, STEP_N + 3),
        "point": np.tile(np.arange(STEP_N + 3.0), len(STEP_PHASES)),
        **columns,
    }
    return Drawing(3, f"a step of the wave, n = {STEP_N}, α = {STEP_ALPHA_DEG:g}°", {"": table}, draw, (9.0, 6.5))


def step_points(one: Wave, s: Array) -> Array:
    """Return x and y of P_0 to P_(n+2) in links, (s, 2, n + 3), with P_0 fixed as in the paper."""
    direction = np.exp(1j * np.cumsum(one.angles(s).value, axis=-1))
    chain = np.concatenate([np.zeros((len(s), 1)), np.cumsum(direction, axis=-1)], axis=-1)
    return np.stack([chain.real, chain.imag], axis=1)


def draw_fig04(data: FigureData) -> Drawing:
    limit = float(np.degrees(alpha_limit(LIMIT_N)))
    alpha = np.linspace(0.5, limit - 0.05, 200)
    paper = [wave(LIMIT_N, one) for one in alpha]
    d_unit = np.array([one.d_unit for one in paper])
    f = np.array([one.f for one in paper])
    closed = np.array([wave(LIMIT_N, one, closed=True).f for one in alpha])

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot(alpha, d_unit, color=BLUE, label="$d_{unit}$")
        axes.plot([limit], [3.35], "o", color=BLUE, mfc="none", label="3.35, printed at the limit")
        axes.set_xlabel("α [°]")
        axes.set_ylabel("$d_{unit}$ [links]", color=BLUE)
        other = axes.twinx()
        other.plot(alpha, f, color=RED, label="f of the paper's (8)")
        other.plot([limit], [0.52], "o", color=RED, mfc="none", label="0.52, printed at the limit")
        other.plot(alpha, closed, color=GREY, linestyle="--", label="f of the closed wave")
        other.set_ylabel("f", color=RED)
        other.set_ylim(-0.02, 0.6)
        axes.axvline(limit, color=BLACK, linewidth=0.6)
        handles = axes.get_legend_handles_labels(), other.get_legend_handles_labels()
        axes.legend(handles[0][0] + handles[1][0], handles[0][1] + handles[1][1], fontsize=8, loc="upper left")

    columns = {"alpha_deg": alpha, "d_unit": d_unit, "f": f, "f_closed": closed}
    return Drawing(4, f"$d_{{unit}}$ and f over α, n = {LIMIT_N}; the limit (14) is {limit:.2f}°", {"": columns}, draw)
