"""Fig. 10: the best time scaling at psi* and 3.2 rad/s, beside the plain gait."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.three_link import crawl
from crawler_studies.plots.drawing import BLACK, BLUE, Drawing
from crawler_studies.three_link.figures.figure_data import FigureData, gait, steps
from crawler_studies.three_link.figures.time_scaling import best_scaling

OMEGA = 3.2  # rad/s, as printed


def make(data: FigureData) -> Drawing:
    plain = [gait(1.0, psi=psi) for psi in data.phases]
    psi = float(data.phases[np.nanargmax(steps(data.hard, plain, OMEGA))])
    fine = np.radians(np.arange(np.degrees(psi) - 0.5, np.degrees(psi) + 0.5, 0.01))
    psi = float(fine[np.nanargmax(steps(data.hard, [gait(1.0, psi=phase) for phase in fine], OMEGA))])
    best = best_scaling(data.hard, OMEGA, robust=False, psi=psi)
    gaits = {
        "plain": gait(OMEGA, psi=psi),
        "scaled": gait(OMEGA, psi=psi, alpha=best.alpha, upsilon=best.upsilon),
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
        f"time scaling at {OMEGA:g} rad/s, ψ = {np.degrees(psi):.2f}°, α = {best.alpha:.3f}, "
        f"Υ = {best.upsilon:.3f} rad: S × {lift:.2f}"
    )
    return Drawing(10, title, tables, draw, (11.0, 4.2))
