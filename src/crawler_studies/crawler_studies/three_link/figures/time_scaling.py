"""Fig. 10, and the search for the best time scaling (8): differential evolution over whole generations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import OptimizeResult, differential_evolution

from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.compiled import ShapeTable
from crawler_studies.plots.drawing import BLACK, BLUE, Array, Drawing
from crawler_studies.three_link.figures.figure_data import FigureData, band, gait, steps

MAX_ALPHA = 0.95  # the pace must not come to a halt
SEARCH_FRICTIONS = 9  # of the band
FAILED_STEP_M = 1.0  # the objective of an impossible gait
PRINTED_OMEGA = 3.2  # rad/s


@dataclass(frozen=True)
class TimeScaling:
    """A time scaling and its objective."""

    psi: float  # rad
    alpha: float
    upsilon: float  # rad
    value: float  # m, S or S_mu


def best_scaling(
    robot: ThreeLink, omega: float, *, robust: bool, psi: float | None = None, near: TimeScaling | None = None
) -> TimeScaling:
    """Maximise S, or S_mu if ``robust``, over (psi, alpha, Upsilon), or over the last two at a given ``psi``.

    ``near`` is a good gait of a neighbouring frequency to start from.
    """
    bounds = [(0.0, MAX_ALPHA), (-np.pi, np.pi)] + ([] if psi is not None else [(0.0, np.pi)])
    objective = _objective(robot, omega, robust, psi)
    start = None if near is None else [near.alpha, near.upsilon] + ([] if psi is not None else [near.psi])
    found = minimise(objective, bounds, start, max_generations=45)
    return TimeScaling(
        float(found.x[2]) if psi is None else psi, float(found.x[0]), float(found.x[1]), -float(found.fun)
    )


def minimise(
    objective: Callable[[Array], Array],
    bounds: list[tuple[float, float]],
    start: list[float] | None = None,
    *,
    max_generations: int,
) -> OptimizeResult:
    """Minimise by differential evolution over whole generations at once."""
    return differential_evolution(
        objective,
        bounds,
        x0=start,
        popsize=16,
        maxiter=max_generations,
        tol=1e-6,
        mutation=(0.4, 0.9),
        rng=1,
        polish=False,
        vectorized=True,
        updating="deferred",
    )


def _objective(robot: ThreeLink, omega: float, robust: bool, psi: float | None) -> Callable[[Array], Array]:
    def objective(x: Array) -> Array:
        phases = np.full(x.shape[1], psi) if psi is not None else x[2]
        gaits = [
            gait(1.0, psi=float(p), alpha=float(a), upsilon=float(u))
            for p, a, u in zip(phases, x[0], x[1], strict=True)
        ]
        table = ShapeTable(robot, gaits)
        which = np.arange(len(gaits))
        if robust:
            values = band(robot, table, which, omega, samples=SEARCH_FRICTIONS).robust
        else:
            values = table.crawl(which, omega, robot.mu1, robot.mu2, robot.g).step_length
        return np.where(np.isfinite(values), -values, FAILED_STEP_M)

    return objective


def draw_fig10(data: FigureData) -> Drawing:
    plain = [gait(1.0, psi=psi) for psi in data.phases]
    psi = float(data.phases[np.nanargmax(steps(data.hard, plain, PRINTED_OMEGA))])
    fine = np.radians(np.arange(np.degrees(psi) - 0.5, np.degrees(psi) + 0.5, 0.01))
    psi = float(fine[np.nanargmax(steps(data.hard, [gait(1.0, psi=phase) for phase in fine], PRINTED_OMEGA))])
    best = best_scaling(data.hard, PRINTED_OMEGA, robust=False, psi=psi)
    gaits = {
        "plain": gait(PRINTED_OMEGA, psi=psi),
        "scaled": gait(PRINTED_OMEGA, psi=psi, alpha=best.alpha, upsilon=best.upsilon),
    }
    cycles = {name: crawl(data.hard, motion) for name, motion in gaits.items()}
    lift = cycles["scaled"].step_length / cycles["plain"].step_length

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        for name, style in (("plain", "--"), ("scaled", "-")):
            samples = cycles[name].samples(721)
            angles = np.degrees(gaits[name].sample(samples.t).position)
            for foot, (colour, v) in enumerate(((BLUE, samples.v1), (BLACK, samples.v2))):
                joint, tip = rf"$\varphi_{foot + 1}$, {name}", f"foot {foot + 1}, {name}"
                left.plot(samples.t, angles[:, foot], color=colour, linestyle=style, label=joint)
                right.plot(samples.t, -1e3 * v, color=colour, linestyle=style, label=tip)
        left.set_ylabel("(a) joint angle [°]")
        right.set_ylabel("(b) velocity, forwards [mm/s]")
        for axes in (left, right):
            axes.set_xlabel("t [s]")
            axes.legend(fontsize=8, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)

    tables = {}
    for name, motion in gaits.items():
        samples = cycles[name].samples(721)
        angles = np.degrees(motion.sample(samples.t).position)
        tables[name] = {
            "t_s": samples.t,
            "phi1_deg": angles[:, 0],
            "phi2_deg": angles[:, 1],
            "v1_mm_s": -1e3 * samples.v1,
            "v2_mm_s": -1e3 * samples.v2,
        }
    title = (
        f"time scaling at {PRINTED_OMEGA:g} rad/s, ψ = {np.degrees(psi):.2f}°, α = {best.alpha:.3f}, "
        f"Υ = {best.upsilon:.3f} rad: S × {lift:.2f}"
    )
    return Drawing(10, title, tables, draw, (11.0, 4.2))
