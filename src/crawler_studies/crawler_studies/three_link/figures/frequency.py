"""Figs. 4, 5, 7 and 9: step, speed, direction and the contacts' velocities over frequency."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_models.three_link import crawl
from crawler_models.three_link.compiled import ShapeTable
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, PURPLE, Array, Drawing
from crawler_studies.three_link.figures.figure_data import HIGHEST, LOWEST, FigureData, band, gait, steps
from crawler_studies.three_link.figures.time_scaling import TimeScaling, best_scaling

RANGE_OMEGAS = (0.3, 5.1, 16.0)  # rad/s, as printed
SCALED_COUNT = 24  # of frequencies with time scaling
REVERSAL_PHI0, REVERSAL_OMEGA = 145.0, 9.0  # degrees, of (a), and rad/s, of (b)


def draw_fig04(data: FigureData) -> Drawing:
    omega = data.omegas
    table = ShapeTable(data.hard, [gait(1.0)])
    plain = band(data.hard, table, np.zeros(len(omega), dtype=int), omega)
    robust = data.along(data.best_robust)
    cases = {"ψ = 20°": (plain, BLUE), r"$\psi = \psi^*_\mu(\omega)$": (robust, GREY)}
    speed = 1e3 * omega / (2.0 * np.pi)
    edges = range_edges(data, table)

    def draw(figure: Figure) -> None:
        upper, lower = figure.subplots(2, 1, sharex=True)
        for axes, factor in ((upper, np.full(len(omega), 1e3)), (lower, speed)):
            for label, (found, colour) in cases.items():
                found.draw(axes, omega, factor, colour, label)
            axes.axhline(0.0, color="black", linewidth=0.5)
            axes.grid(alpha=0.3)
            for edge in edges:
                axes.axvline(edge, color="black", linewidth=0.8, linestyle=":")
        middles = (0.5 * edges[0], 0.5 * sum(edges), 0.5 * (edges[1] + omega[-1]))
        for name, middle in zip(("I", "II", "III"), middles, strict=True):
            upper.text(middle, 0.93, name, transform=upper.get_xaxis_transform(), ha="center", fontsize=11)
        for shown in RANGE_OMEGAS:  # the paper's arrows: the frequencies of Fig. 5
            lower.annotate(
                "",
                (shown, float(np.interp(shown, omega, speed * plain.nominal))),
                xytext=(0, 26),
                textcoords="offset points",
                arrowprops={"arrowstyle": "->"},
            )
        upper.set_ylabel("(a) S [mm]")
        lower.set_ylabel("(b) V [mm/s]")
        lower.set_xlabel("ω [rad/s]")
        lower.set_xlim(0.0, omega[-1])
        upper.legend(fontsize=8, loc="upper right", bbox_to_anchor=(1.0, 0.9))

    columns = {"omega_rad_s": omega}
    for name, found in (("psi20", plain), ("psi_mu", robust)):
        columns |= found.columns(name)
    title = f"step and mean velocity over frequency; V peaks at {edges[0]:.2f} and bottoms at {edges[1]:.2f} rad/s"
    return Drawing(4, title, {"": columns}, draw, (8.0, 7.0))


def range_edges(data: FigureData, table: ShapeTable) -> tuple[float, float]:
    """Return the borders of ranges I, II and III, rad/s: the speed's first maximum and the minimum after it."""
    omega = np.arange(LOWEST, HIGHEST, 0.01)
    speed = table.crawl(np.zeros(len(omega), dtype=int), omega, data.hard.mu1, data.hard.mu2, data.hard.g).speed
    peak = int(np.argmax(np.diff(speed) < 0.0))
    bottom = peak + int(np.argmax(np.diff(speed[peak:]) > 0.0))
    return float(omega[peak]), float(omega[bottom])


def draw_fig05(data: FigureData) -> Drawing:
    cycles = {omega: crawl(data.hard, gait(omega)).samples(721) for omega in RANGE_OMEGAS}

    def draw(figure: Figure) -> None:
        for axes, name, (omega, cycle) in zip(figure.subplots(1, 3), ("I", "II", "III"), cycles.items(), strict=True):
            axes.plot(cycle.t, -1e3 * cycle.v1, color=BLUE, label="foot 1")
            axes.plot(cycle.t, -1e3 * cycle.v2, color=BLACK, label="foot 2")
            axes.axhline(0.0, color="black", linewidth=0.5)
            axes.set_title(f"{name}: ω = {omega:g} rad/s", fontsize=10)
            axes.set_xlabel("t [s]")
        figure.axes[0].set_ylabel("velocity, forwards [mm/s]")
        figure.axes[0].legend(fontsize=8)

    tables = {
        f"omega{omega:g}": {"t_s": c.t, "v1_mm_s": -1e3 * c.v1, "v2_mm_s": -1e3 * c.v2} for omega, c in cycles.items()
    }
    return Drawing(5, "contacts' velocities, one frequency of each range", tables, draw, (11.0, 3.8))


def draw_fig09(data: FigureData) -> Drawing:
    omega = data.omegas
    nominal, robust = data.along(data.best), data.along(data.best_robust)
    few = np.geomspace(LOWEST, HIGHEST, SCALED_COUNT)
    scaled: dict[bool, list[TimeScaling]] = {False: [], True: []}
    for kind, found in scaled.items():
        for w in few:
            found.append(best_scaling(data.hard, w, robust=kind, near=found[-1] if found else None))
    lines = {kind: 1e3 * np.array([one.value for one in found]) for kind, found in scaled.items()}

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        nominal.draw(axes, omega, 1e3, BLUE, r"$\psi^*(\omega)$")
        robust.draw(axes, omega, 1e3, BLACK, r"$\psi^*_\mu(\omega)$")
        axes.plot(few, lines[False], color=PURPLE, label="S, with time scaling for S")
        axes.plot(few, lines[True], color=PURPLE, linestyle="--", label=r"$S_\mu$, with time scaling for $S_\mu$")
        axes.set_xscale("log")
        axes.set_xlabel("ω [rad/s]")
        axes.set_ylabel("S [mm]")
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)

    columns = {"omega_rad_s": omega}
    for name, best in (("psi_best", nominal), ("psi_mu_best", robust)):
        columns |= best.columns(name)
    scaling = {"omega_rad_s": few}
    for kind, name in ((False, "S"), (True, "S_mu")):
        scaling |= {
            f"{name}_mm": lines[kind],
            f"psi_deg_for_{name}": np.degrees([one.psi for one in scaled[kind]]),
            f"alpha_for_{name}": np.array([one.alpha for one in scaled[kind]]),
            f"upsilon_deg_for_{name}": np.degrees([one.upsilon for one in scaled[kind]]),
        }
    return Drawing(9, "optimised steps over frequency", {"phases": columns, "scaling": scaling}, draw, (8.5, 5.5))


def draw_fig07(data: FigureData) -> Drawing:
    omega = np.linspace(LOWEST, 20.0, 400)
    over_omega = 1e3 * steps(data.soft, [gait(1.0, phi0=np.radians(REVERSAL_PHI0))] * len(omega), omega)
    phi0 = np.arange(90.0, 155.01, 0.5)
    over_phi0 = 1e3 * steps(data.soft, [gait(1.0, phi0=np.radians(angle)) for angle in phi0], REVERSAL_OMEGA)

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        left.plot(omega, over_omega, color=BLUE)
        left.set_xlabel("ω [rad/s]")
        left.set_ylabel("S [mm]")
        left.set_title(rf"(a) $\varphi_0$ = {REVERSAL_PHI0:g}°", fontsize=10)
        right.plot(phi0, over_phi0, color=BLUE)
        right.set_xlabel(r"$\varphi_0$ [°]")
        right.set_title(f"(b) ω = {REVERSAL_OMEGA:g} rad/s", fontsize=10)
        for axes, x, y in ((left, omega, over_omega), (right, phi0, over_phi0)):
            axes.axhline(0.0, color="black", linewidth=0.5)
            _shade_invalid(axes, x, y)

    tables = {
        "a": {"omega_rad_s": omega, "S_mm": over_omega},
        "b": {"phi0_deg": phi0, "S_mm": over_phi0},
    }
    return Drawing(7, "direction reversal (soft tips; grey: contact is lost)", tables, draw, (10.0, 4.2))


def _shade_invalid(axes: Axes, x: Array, y: Array) -> None:
    """Draw grey where there is no gait."""
    axes.fill_between(x, 0.0, 1.0, where=np.isnan(y), color="0.85", transform=axes.get_xaxis_transform(), linewidth=0.0)
    axes.grid(alpha=0.3)
