"""Draws feedback.png beside this file, and prints the table of docs/feedback.md: steps under the law over frequency.

The controller and the backends run in this process, tick by tick as in the ring, so that it takes minutes.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from crawler_core.errors import BackendFault
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import JointCommand
from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.feedback.feedback_crawl import feedback_crawl
from crawler_models.three_link.feedback.feedback_law import FeedbackLaw
from crawler_studies.plots.drawing import BLACK, BLUE, DPI, GREY, RED
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.transitions.blend import Blend
from gait_generators.transitions.hold import Hold
from hybrid_controller.controller import Controller
from hybrid_controller.laws.three_link.hybrid_law import HybridLaw
from hybrid_controller.laws.three_link.hybrid_parameters import HybridParameters
from hybrid_controller.reference.horizon import Horizon
from sim_bridge.bullet.pybullet_backend import PybulletBackend, PybulletSettings
from sim_bridge.model_backend import ModelBackend, ModelSettings

OMEGAS = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0, 22.0)
RATE = 500.0  # Hz
FADE = 2.1  # s
CYCLES = 4  # that steps are averaged over: a gait may repeat after two


def ring_step(spec: RobotSpec, backend: Any, omega: float) -> float:
    """Mean step in mm of a gait that fades in; NaN where the backend faults, as when a foot lifts."""
    dt = 1.0 / RATE
    gait = make_gait(spec, None, {"omega": omega})
    end = FADE + max((CYCLES + 4) * gait.period, 12.0)
    home = np.array([joint.home for joint in spec.actuated])
    grid = np.arange(0.0, end + 0.1, 0.01)
    reference = Blend(Hold(home), gait, 0.0, FADE).sample(grid)
    controller = Controller(spec, HybridLaw(spec, HybridParameters(), dt), round(1e9 * dt))
    controller.reference.add(Horizon([round(1e9 * t) for t in grid], *reference))
    nothing = np.full(len(home), math.nan)
    x = []
    backend.open()
    try:
        for _ in range(round(end * RATE)):
            seen = backend.observe()
            x.append(seen.base.position[0])
            answer = controller.step(seen.time_ns, seen.position.tolist(), seen.velocity.tolist(), seen.contacts)
            assert answer is not None
            position, velocity, _, _ = answer.setpoint
            backend.apply(JointCommand(np.array(position), np.array(velocity), nothing))
            backend.advance(dt)
    except BackendFault:
        return math.nan
    finally:
        backend.close()
    t = dt * np.arange(len(x))
    before, after = np.interp([t[-1] - CYCLES * gait.period, t[-1]], t, x)
    return 1e3 * float(after - before) / CYCLES


def draw_frequencies(axes: Any, spec: RobotSpec, robot: ThreeLink) -> None:
    """Step length over omega, printed as well."""
    law = HybridParameters().law
    table = []
    for omega in OMEGAS:
        gait = make_gait(spec, None, {"omega": omega})
        row = (
            1e3 * crawl(robot, gait).step_length,
            1e3 * feedback_crawl(robot, gait, FeedbackLaw()).step_length,
            1e3 * feedback_crawl(robot, gait, law).step_length,
            ring_step(spec, ModelBackend(spec, ModelSettings(), 1.0 / RATE), omega),
            ring_step(spec, PybulletBackend(spec, PybulletSettings(), 1.0 / RATE), omega),
        )
        print(f"| {omega:g} |", " | ".join("none" if math.isnan(x) else f"{x:.2f}" for x in row), "|", flush=True)
        table.append(row)
    without, _, continuous, model, physics = np.array(table).T
    axes.plot(OMEGAS, without, "--", color=GREY, label="without feedback")
    axes.plot(OMEGAS, continuous, color=BLACK, label="the law in continuous time, with hysteresis and dwell")
    axes.plot(OMEGAS, model, "o", markersize=5, markerfacecolor="none", color=BLUE, label="model, 500 Hz")
    axes.plot(OMEGAS, physics, "x", markersize=5, color=RED, label="PyBullet, 500 Hz")
    axes.axhline(0.0, color=BLACK, linewidth=0.5)
    axes.set_xlabel("ω [rad/s]")
    axes.set_ylabel("S [mm]")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


if __name__ == "__main__":
    spec = load_robot("three_link")
    figure = Figure(figsize=(8.0, 4.5), layout="constrained")
    figure.suptitle("steps under the law hybrid over frequency")
    draw_frequencies(figure.subplots(), spec, ThreeLink.from_parameters(spec.parameters))
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=DPI)
