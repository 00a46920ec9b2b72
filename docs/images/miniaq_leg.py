"""Draws miniaq_leg.png: the robot from its left with the ways of its feet, and one leg with its pins and lengths."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from crawler_core.robot.robot_file import load_robot
from crawler_models.miniaq.equations.four_bar import Pins, pins
from crawler_models.miniaq.equations.quadruped import Quadruped
from crawler_studies.plots.drawing import BLACK, BLUE, DPI, GREY, ORANGE

LOWEST = np.radians(135.0)  # of the crank where the foot is lowest: phase 0
SHOWN = np.radians(-10.0)  # a pose in which no two bars lie on each other

robot = Quadruped.from_parameters(load_robot("miniaq").parameters)
way = 1e3 * pins(robot, np.radians(np.arange(0.0, 361.0))).E
figure, (whole, near) = plt.subplots(1, 2, figsize=(11.5, 4.6), layout="constrained", width_ratios=(1.5, 1.0))


def bars(axes: Axes, p: Pins, at: complex, scale: float) -> None:
    """A leg (mm) with its motor at a place."""
    for start, end, colour, width in (
        (p.A, p.C, BLUE, 3.0),
        (p.D, p.C, GREY, 4.0),
        (p.C, p.E, GREY, 4.0),
        (p.C, p.F, GREY, 4.0),
        (0.0, p.D, ORANGE, 4.0),
    ):
        ends = at + 1e3 * np.array([start, end])
        axes.plot(ends.real, ends.imag, color=colour, lw=scale * width, solid_capstyle="round")


def write(axes: Axes, where: complex, text: str, **how: object) -> None:
    axes.text(where.real, where.imag, text, ha="center", va="center", zorder=6, **how)  # type: ignore[arg-type]


def beside(axes: Axes, start: complex, end: complex, text: str, aside: float, at: float = 0.5) -> None:
    """The symbol of a length, `aside` (mm) to the left of its direction."""
    way = 1e3 * (end - start)
    write(axes, 1e3 * start + (at + 1j * aside / abs(way)) * way, text, fontsize=13)


half, thick = 500.0 * robot.length, 500.0 * robot.thickness
whole.add_patch(Rectangle((-half, -thick), 2.0 * half, 2.0 * thick, color=BLACK, alpha=0.15, lw=0.0))
low = way.imag.min()
whole.axhline(low, color=BLACK, lw=1.0)
for x, words in ((robot.x_front, "front"), (robot.x_hind, "hind")):
    at = 1e3 * x + 0j
    bars(whole, pins(robot, LOWEST), at, 0.8)
    whole.plot((at + way).real, way.imag, color=GREY, lw=1.0)
    whole.plot(at.real, 0.0, "o", color="white", mec=BLACK, markersize=7, zorder=5)
    write(whole, at + 11j, f"{words} motor, x = {at.real:g} mm", fontsize=10)
whole.plot(0.0, 0.0, "+", color=BLACK, markersize=12)
whole.annotate("", (62.0, 18.0), (40.0, 18.0), arrowprops={"arrowstyle": "-|>", "lw": 2})
write(whole, 51.0 + 21j, "x, forward", fontsize=10)
whole.set(xlim=(-56.0, 66.0), ylim=(low - 3.0, 24.0))

p = pins(robot, SHOWN)
bars(near, p, 0j, 1.5)
near.plot(way.real, way.imag, color=GREY, lw=1.2)
for k in (135, 310):  # the crank's angles at which an arrow ends
    near.annotate(
        "",
        (way[k].real, way[k].imag),
        (way[k - 8].real, way[k - 8].imag),
        arrowprops={"arrowstyle": "-|>", "color": GREY, "lw": 1.5},
    )
places = (
    ("A", p.A, 3j),
    ("B", 0j, -2.6 + 1.5j),
    ("C", p.C, -3.0),
    ("D", p.D, 0.5 + 3j),
    ("E", p.E, 3.0),
    ("F", p.F, 2.6 + 0.8j),
)
for name, point, offset in places:
    near.plot(1e3 * point.real, 1e3 * point.imag, "o", color="white", mec=BLACK, markersize=7, zorder=5)
    write(near, 1e3 * point + offset, name, fontsize=12, weight="bold")
beside(near, 0j, p.D, "$l_2$", -2.2)
beside(near, p.D, p.C, "$l_3$", -2.0, 0.35)
beside(near, p.A, p.C, "$l_4$", 2.4, 0.4)
beside(near, p.C, p.E, "$l_5$", 2.6)
beside(near, p.C, p.F, "$l_6$", -2.2)
near.set(xlim=(-8.0, 36.0), ylim=(low - 3.0, 15.0))
for axes in (whole, near):
    axes.set_aspect("equal")
    axes.axis("off")
figure.savefig(Path(__file__).with_suffix(".png"), dpi=DPI)
