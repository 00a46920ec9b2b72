"""Draws bolt_mechanism.png: the six-bar of BOLT with its pins, lengths and angles, and the way that it runs."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc

from crawler_core.robot.robot_file import load_robot
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.equations.six_bar import pins
from crawler_studies.plots.drawing import BLACK, BLUE, DPI, GREY, ORANGE

CRANK = np.radians(-75.0)  # a pose in which no two bars lie on each other
ARROW = {"arrowstyle": "-|>", "color": BLACK}
AHEAD = 1.0 + 0.0j

leg = Leg.from_parameters(load_robot("bolt").parameters)
p = pins(leg, CRANK)
P = 0.0 + 0.0j
way = pins(leg, np.radians(np.arange(0.0, 361.0))).F
figure, (whole, near) = plt.subplots(1, 2, figsize=(12.4, 7.2), layout="constrained", width_ratios=(1.0, 1.25))


def bars(axes: Axes, scale: float) -> None:
    for start, end, colour, width in (
        (P, p.A, BLACK, 5.0),
        (p.A, p.E, GREY, 6.0),
        (p.E, p.F, GREY, 6.0),
        (p.D, p.B, BLUE, 4.0),
        (p.C, p.G, BLUE, 4.0),
        (P, p.D, ORANGE, 6.0),
    ):
        axes.plot(
            [start.real, end.real], [start.imag, end.imag], color=colour, lw=scale * width, solid_capstyle="round"
        )


def pin(axes: Axes, name: str, point: complex, offset: complex) -> None:
    axes.plot(point.real, point.imag, "o", color="white", mec=BLACK, markersize=9, zorder=5)
    write(axes, point + offset, name, fontsize=14, weight="bold")


def write(axes: Axes, where: complex, text: str, **how: object) -> None:
    axes.text(where.real, where.imag, text, ha="center", va="center", zorder=6, **how)  # type: ignore[arg-type]


def length(axes: Axes, start: complex, end: complex, label: str, aside: float, at: float = 0.5) -> None:
    """The symbol of a length beside it, `aside` (m) to the left of its direction."""
    write(axes, start + (at + 1j * aside / abs(end - start)) * (end - start), label, fontsize=15)


def span(axes: Axes, start: complex, end: complex, label: str, aside: float) -> None:
    """A dimension line along a part of a bar."""
    shift = 1j * aside * (end - start) / abs(end - start)
    a, b = start + shift, end + shift
    axes.annotate("", (b.real, b.imag), (a.real, a.imag), arrowprops={"arrowstyle": "<|-|>", "color": BLACK, "lw": 0.8})
    length(axes, a, b, label, np.sign(aside) * 0.0055)


def angle(axes: Axes, at: complex, begin: complex, end: complex, radius: float, label: str, away: float) -> None:
    """An angle from one direction to another with an arrow at its end, and a dotted line where it begins."""
    first, turn = np.degrees(np.angle(begin)), np.degrees(np.angle(end / begin))
    far = at + 1.5 * radius * begin / abs(begin)
    axes.plot([at.real, far.real], [at.imag, far.imag], ":", color=BLACK, lw=0.9)
    low, high = sorted((first, first + turn))
    axes.add_patch(Arc((at.real, at.imag), 2 * radius, 2 * radius, theta1=low, theta2=high, color=BLACK, lw=0.9))
    tip, before = (at + radius * np.exp(1j * np.radians(first + share * turn)) for share in (1.0, 0.9))
    axes.annotate("", (tip.real, tip.imag), (before.real, before.imag), arrowprops=ARROW)
    write(axes, at + away * radius * np.exp(1j * np.radians(first + 0.5 * turn)), label, fontsize=14)


bars(whole, 1.0)
for name, point, offset in (
    ("P", P, -0.02 - 0.004j),
    ("A", p.A, 0.022j),
    ("B", p.B, 0.02 + 0.010j),
    ("E", p.E, 0.024 + 0.004j),
    ("F", p.F, 0.024 + 0.004j),
    ("G", p.G, -0.024 - 0.002j),
):
    pin(whole, name, point, offset)
length(whole, p.A, p.E, "$l_4$", 0.020, 0.72)
length(whole, p.E, p.F, "$l_5$", 0.018, 0.6)
length(whole, p.C, p.G, "$l_3$", -0.018, 0.6)
length(whole, p.E, p.G, "$l_t$", 0.016)
angle(whole, p.A, AHEAD, p.E - p.A, 0.05, "$q_4$", 1.35)
angle(whole, p.E, p.E - p.A, p.F - p.E, 0.05, "$q_5$", 1.3)
whole.plot(way.real, way.imag, color=GREY, lw=1.2)
for k in (75, 240):  # the foot's way as the crank's angle falls
    a, b = way[k], way[k - 3]
    whole.annotate("", (b.real, b.imag), (a.real, a.imag), arrowprops={"arrowstyle": "-|>", "color": GREY, "lw": 1.5})
write(whole, 0.02 - 0.352j, "flight", color=GREY, fontsize=11)
write(whole, 0.03 - 0.442j, "stance", color=GREY, fontsize=11)
whole.annotate("", (0.29, 0.115), (0.13, 0.115), arrowprops={"arrowstyle": "-|>", "lw": 2})
write(whole, 0.21 + 0.132j, "it runs this way, x", fontsize=11)
whole.set_xlim(-0.13, 0.31)
whole.set_ylim(-0.46, 0.15)

bars(near, 1.8)
for name, point, offset in (
    ("P", P, -0.007 + 0.003j),
    ("A", p.A, 0.0065j),
    ("B", p.B, 0.008 + 0.001j),
    ("C", p.C, 0.001 + 0.0065j),
    ("D", p.D, -0.006 - 0.004j),
):
    pin(near, name, point, offset)
length(near, P, p.A, "$l_c$", 0.006, 0.6)
length(near, P, p.D, "$l_1$", -0.006)
span(near, p.D, p.C, "$l_s$", -0.012)
span(near, p.D, p.B, "$l_2$", -0.026)
span(near, p.A, p.B, "$l_f$", 0.010)
angle(near, P, AHEAD, p.A, 0.022, r"$\theta$", 1.2)
angle(near, P, AHEAD, p.D, 0.011, "$q_1$", 1.35)
angle(near, p.D, p.D, p.B - p.D, 0.011, "$q_2$", 1.4)
angle(near, p.C, p.B - p.D, p.G - p.C, 0.014, "$q_3$", 1.35)
near.add_patch(Arc((0, 0), 0.05, 0.05, theta1=120, theta2=205, color=ORANGE, lw=2.5))
tip, before = (0.025 * np.exp(1j * np.radians(degrees)) for degrees in (118.0, 126.0))
near.annotate(
    "", (tip.real, tip.imag), (before.real, before.imag), arrowprops={"arrowstyle": "-|>", "color": ORANGE, "lw": 2.5}
)
write(near, -0.020 + 0.036j, "the crank turns\nbackward: $q_1$ falls", color=ORANGE, fontsize=12)
near.set_xlim(-0.045, 0.125)
near.set_ylim(-0.052, 0.068)
for axes in (whole, near):
    axes.set_aspect("equal")
    axes.axis("off")
figure.savefig(Path(__file__).with_suffix(".png"), dpi=DPI)
