"""Draws three_link_robot.png beside this file: the robot's angles, links and feet, and the way it goes."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc

from crawler_core.robot.robot_file import load_robot
from crawler_models.three_link import ThreeLink
from crawler_models.three_link.equations.closed_chain import closed_chain
from crawler_studies.plots.drawing import BLACK, BLUE, DPI, GREY, RED, Array
from gait_generators.kinds.gait_registry import make_gait


def chain(robot: ThreeLink, angles: Array) -> Array:
    """Foot 2, joint 2, joint 1, foot 1 as complex numbers, m; forwards to the right."""
    still = np.zeros(2)
    theta = closed_chain(robot, angles, still, still).theta
    first = -robot.l1 * np.exp(1j * (theta - angles[0]))  # from foot 1, in the paper's axes
    second = first + robot.l0 * np.exp(1j * theta)
    foot = second - robot.l2 * np.exp(1j * (theta + angles[1]))
    points = np.array([foot, second, first, 0j])
    return -(points.real - 0.5 * foot.real) + 1j * points.imag


def angle(axes: Axes, at: complex, ends: tuple[complex, complex], label: str) -> None:
    """An arc at a joint, counter-clockwise from the direction of the first point to that of the second one."""
    start, end = (float(np.degrees(np.angle(point - at))) for point in ends)
    axes.add_patch(Arc((at.real, at.imag), 0.07, 0.07, theta1=start, theta2=end, color=RED, linewidth=1.4))
    middle = at + 0.055 * np.exp(1j * np.radians(start + 0.5 * ((end - start) % 360.0)))
    axes.text(middle.real, middle.imag, label, color=RED, ha="center", va="center", fontsize=13)


def main() -> None:
    spec = load_robot("three_link")
    robot = ThreeLink.from_parameters(spec.parameters)
    gait = make_gait(spec, "harmonic", {"psi": 20.0})
    figure = Figure(figsize=(8.0, 3.2), layout="constrained")
    axes = figure.subplots()
    for t, colour, width in ((0.25, GREY, 1.2), (0.75, GREY, 1.2), (0.0, BLACK, 3.0)):
        points = chain(robot, gait.sample(t * gait.period).position)
        axes.plot(points.real, points.imag, color=colour, linewidth=width, marker="o", markersize=2.0 + width)
    foot2, joint2, joint1, foot1 = points
    angle(axes, joint1, (joint2, foot1), r"$\varphi_1$")
    angle(axes, joint2, (foot2, joint1), r"$\varphi_2$")
    for at, text in ((foot1, "foot 1, in front"), (foot2, "foot 2")):
        axes.text(at.real, -0.012, text, ha="center", va="top", fontsize=10)
    names = ("$l_2, m_2, J_2$", "$l_0, m_0, J_0$", "$l_1, m_1, J_1$")
    for a, b, shift, text in zip(points, points[1:], (-0.06, 0.028j, 0.06), names, strict=False):
        middle = 0.5 * (a + b) + shift
        axes.text(middle.real, middle.imag, text, ha="center", va="center", fontsize=11)
    axes.axhline(0.0, color=GREY, linewidth=1.0)
    axes.annotate("", (0.30, 0.10), xytext=(0.21, 0.10), arrowprops={"arrowstyle": "->", "color": BLUE, "lw": 2.0})
    axes.text(0.255, 0.107, "forwards: S > 0 with ψ > 0,\nwhen it crawls slowly", color=BLUE, ha="center", fontsize=10)
    axes.set_aspect("equal")
    axes.set_xlim(-0.33, 0.36)
    axes.set_ylim(-0.04, 0.2)
    axes.axis("off")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=DPI)


if __name__ == "__main__":
    main()
