"""The experiments of Figs. 4 and 7 as virtual ones: with servos that lag and friction that strays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_models.three_link import ThreeLink
from crawler_models.three_link.compiled import ShapeTable
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, ORANGE, PURPLE, Array, Drawing
from crawler_studies.three_link.figures.figure_data import AMPLITUDE, PSI, Band, FigureData, band, gait
from crawler_studies.three_link.figures.frequency import REVERSAL_OMEGA, REVERSAL_PHI0
from crawler_studies.three_link.virtual_experiment import ServoMotion, experiment

EXPERIMENT_OMEGAS = (0.3, 0.6, 1.0, 1.5, 2.2, 3.2, 4.2, 5.1, 6.5, 8.0, 10.0, 12.0, 14.0, 16.0)  # rad/s
FLAT_OMEGAS = (2.0, 3.5, 4.5, 5.5, 7.0, 9.0, 11.0, 13.0, 15.0)  # rad/s, at REVERSAL_PHI0
NOMINAL_ANGLES = (
    100.0,
    105.0,
    110.0,
    115.0,
    120.0,
    125.0,
    130.0,
    135.0,
    140.0,
    145.0,
    150.0,
)  # degrees, at REVERSAL_OMEGA


def draw_experiments(data: FigureData) -> Drawing:
    robust = [float(np.interp(omega, data.omegas, data.phases[data.best_robust])) for omega in EXPERIMENT_OMEGAS]
    cases = {
        "psi20": (data.hard, [_motion(omega) for omega in EXPERIMENT_OMEGAS]),
        "psi_mu": (data.hard, [_motion(o, psi=p) for o, p in zip(EXPERIMENT_OMEGAS, robust, strict=True)]),
        "flat": (data.soft, [_motion(omega, phi0=REVERSAL_PHI0) for omega in FLAT_OMEGAS]),
        "angles": (data.soft, [_motion(REVERSAL_OMEGA, phi0=angle) for angle in NOMINAL_ANGLES]),
    }
    tables = {name: _step_table(robot, motions) for name, (robot, motions) in cases.items()}

    def draw(figure: Figure) -> None:
        (a, b), (c, d) = figure.subplots(2, 2)
        for axes, name, colour, title in (
            (a, "psi20", PURPLE, "(a) hard tips, ψ = 20°"),
            (b, "psi_mu", BLACK, r"(b) hard tips, $\psi = \psi^*_\mu(\omega)$"),
            (c, "flat", BLACK, rf"(c) soft tips, $\varphi_0$ = {REVERSAL_PHI0:g}°, ψ = 20°"),
            (d, "angles", BLACK, f"(d) soft tips, ω = {REVERSAL_OMEGA:g} rad/s, ψ = 20°"),
        ):
            x = tables[name]["phi0_deg" if axes is d else "omega_rad_s"]
            _draw_steps(axes, x, tables[name], GREY if axes is b else BLUE, colour)
            axes.set_title(title, fontsize=10)
            axes.set_xlabel(r"$\varphi_0$ [°]" if axes is d else "ω [rad/s]")
            axes.set_ylabel("S [mm]")
        a.legend(fontsize=8)

    title = "virtual experiments, 4 times 5 cycles; bars: the range of the four"
    return Drawing("experiments", title, tables, draw, (12.0, 8.0))


def _motion(omega: float, psi: float = PSI, phi0: float = 110.0) -> ServoMotion:
    return ServoMotion(omega, AMPLITUDE, float(np.radians(phi0)), psi)


def _step_table(robot: ThreeLink, motions: Sequence[ServoMotion]) -> dict[str, Array]:
    """Return theory and measured steps, in mm a cycle."""
    omega = np.array([motion.omega for motion in motions])
    table = ShapeTable(robot, [gait(1.0, psi=motion.psi, phi0=motion.phi0) for motion in motions])
    theory = band(robot, table, np.arange(len(motions)), omega)
    found = [experiment(robot, motion) for motion in motions]
    from_rest = [experiment(robot, motion, settled=False).mean for motion in motions]
    uncalibrated = [ServoMotion(m.omega, m.amplitude, m.phi0, m.psi, calibrated=False) for m in motions]
    return {
        "omega_rad_s": omega,
        "phi0_deg": np.degrees([motion.phi0 for motion in motions]),
        "psi_deg": np.degrees([motion.psi for motion in motions]),
        **theory.columns("theory"),
        "mean_mm": 1e3 * np.array([one.mean for one in found]),
        "least_mm": 1e3 * np.array([one.least for one in found]),
        "most_mm": 1e3 * np.array([one.most for one in found]),
        "from_rest_mm": 1e3 * np.array(from_rest),
        "not_calibrated_mm": 1e3 * np.array([experiment(robot, motion).mean for motion in uncalibrated]),
    }


def _draw_steps(axes: Axes, x: Array, table: dict[str, Array], colour: str, measured: str) -> None:
    theory = Band(*(table[f"{name}_theory_mm"] for name in ("S", "S_min", "S_max")))
    theory.draw(axes, x, 1.0, colour, "theory")
    bars = np.abs(np.stack((table["least_mm"], table["most_mm"])) - table["mean_mm"])
    axes.errorbar(x, table["mean_mm"], bars, fmt="o", color=measured, capsize=3, markersize=4, label="measured")
    axes.plot(x, table["from_rest_mm"], "v", color=ORANGE, markersize=4, label="measured from rest")
    axes.plot(x, table["not_calibrated_mm"], "x", color=BLACK, markersize=5, label="amplitude not calibrated")
    axes.axhline(0.0, color="black", linewidth=0.5)
    axes.grid(alpha=0.3)
