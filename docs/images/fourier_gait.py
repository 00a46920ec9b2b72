"""Draws fourier_gait.png beside this file: one period of the best gait of each kind at 8 rad/s."""

import math
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from crawler_core.robot.robot_file import load_robot
from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.equations.closed_chain import closed_chain, pose
from crawler_studies.plots.drawing import BLACK, BLUE, DPI, ORANGE
from crawler_studies.three_link.figures.gaits import find_best
from crawler_studies.three_link.shape_design import Limits
from gait_generators.kinds.gait_registry import make_gait

OMEGA = 8.0  # rad/s
FRONT, REAR, BODY = BLUE, ORANGE, BLACK


def draw(axes: Any, robot: ThreeLink, gait: Any, title: str) -> None:
    """One column of the picture."""
    steady = crawl(robot, gait)
    seen = steady.samples(1000)
    t, weight = seen.t / steady.period, robot.mass * robot.g
    sample = gait.sample(seen.t)
    points = pose(robot, closed_chain(robot, *sample))
    centre = (robot.m0 * points.centre_0 + robot.m1 * points.centre_1 + robot.m2 * points.centre_2) / robot.mass
    glide = -np.gradient(seen.x1 + centre.real, seen.t)  # the paper's x points against the direction of travel
    angles, speeds, loads, pushes = axes
    angles.set_title(f"{title}: {1e3 * steady.step_length:.0f} mm a step")
    for j, colour in enumerate((FRONT, REAR)):
        angles.plot(t, np.degrees(sample.position[:, j]), colour, label=f"joint {j + 1}")
    speeds.plot(t, -seen.v1, FRONT, label="front foot")
    speeds.plot(t, -seen.v2, REAR, label="rear foot")
    speeds.plot(t, glide, BODY, label="centre of mass")
    loads.plot(t, seen.forces.f1y / weight, FRONT, label="front foot")
    loads.plot(t, seen.forces.f2y / weight, REAR, label="rear foot")
    reach = robot.mu1 * weight
    pushes.plot(t, -seen.forces.f1x / reach, FRONT, label="on the front foot")
    pushes.plot(t, -seen.forces.f2x / reach, REAR, label="on the rear foot")
    pushes.plot(t, -(seen.forces.f1x + seen.forces.f2x) / reach, BODY, label="together")
    pushes.set_xlabel("t / T")
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.set_xlim(0.0, 1.0)


def main() -> None:
    spec = load_robot("three_link")
    robot = ThreeLink.from_parameters(spec.parameters)
    figure = Figure(figsize=(13, 11), layout="constrained")
    axes = figure.subplots(4, 3, sharex=True, sharey="row")
    for column, scaled, name in ((0, False, "harmonic (5)"), (1, True, "time-scaled (8)")):
        gait = find_best(robot, OMEGA, Limits(swing=18.0), scaled=scaled, worst=True).gait
        draw(axes[:, column], robot, gait, f"{name}, ψ {np.degrees(gait.psi):.0f}°")
    draw(axes[:, 2], robot, make_gait(spec, "fourier", {"omega": OMEGA, "library": "swing_18"}), "fourier, swing_18")
    labels = ("joint angle, °", "velocity forward, m/s", "normal load / weight", "ground's push forward / (μ weight)")
    for ax, label, corner in zip(axes[:, 0], labels, ("lower", "upper", "upper", "lower"), strict=True):
        ax.set_ylabel(label)
        ax.legend(loc=f"{corner} left", fontsize="small")
    figure.suptitle(f"ω = {OMEGA:g} rad/s (T = {2.0 * math.pi / OMEGA:.2f} s), hard tips, by the equations")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=DPI)


if __name__ == "__main__":
    main()
