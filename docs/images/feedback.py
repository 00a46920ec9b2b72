"""Draws feedback.png beside this file, and prints the table of docs/feedback.md: the hybrid law over frequency.

The controller and the backends run in this process, tick by tick as in the ring, so that it takes minutes.
"""

import math
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.robot import RobotSpec, load_robot
from crawler_core.types import JointCommand
from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.feedback import FeedbackSamples, feedback_crawl
from crawler_models.three_link.feedback_law import FeedbackLaw, JointReference, contact_reference
from gait_generators.blend import Blend
from gait_generators.catalogue import make_gait
from gait_generators.hold import Hold
from hybrid_controller.controller import Controller
from hybrid_controller.reference import Horizon
from hybrid_controller.three_link.hybrid import Hybrid, HybridParameters
from sim_bridge.model_backend import ModelBackend, ModelSettings
from sim_bridge.pybullet_backend import PyBulletBackend, PyBulletSettings

OMEGAS = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0, 22.0)
SHOWN = 8.0  # rad/s, of the paper's Figs. 13 and 14
RATE = 500.0  # Hz
FADE = 2.1  # s
CYCLES = 4  # that steps are averaged over: a gait may repeat after two
ONE, TWO, GREEN = "tab:blue", "black", "tab:green"


def ring_step(spec: RobotSpec, backend: Any, omega: float) -> float:
    """Mean step in mm of a gait that fades in; NaN where the backend faults, as when a foot lifts."""
    dt = 1.0 / RATE
    gait = make_gait(spec, None, {"omega": omega})
    end = FADE + max((CYCLES + 4) * gait.period, 12.0)
    home = np.array([joint.home for joint in spec.actuated])
    grid = np.arange(0.0, end + 0.1, 0.01)
    reference = Blend(Hold(home), gait, 0.0, FADE).sample(grid)
    controller = Controller(spec, Hybrid(spec, HybridParameters(), dt), round(1e9 * dt))
    controller.take(Horizon([round(1e9 * t) for t in grid], *reference))
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


def shade(axes: Any, samples: FeedbackSamples, period: float) -> None:
    axes.fill_between(
        samples.t / period,
        0.0,
        1.0,
        where=samples.tracks_contacts,
        step="post",
        color="grey",
        alpha=0.25,
        linewidth=0.0,
        transform=axes.get_xaxis_transform(),
        label="contacts tracked",
    )


def draw_gait(columns: Any, robot: ThreeLink, gait: Any) -> None:
    """Joints and contacts beside their references, and contacts beside those without feedback."""
    joints, contacts, difference = columns
    s = feedback_crawl(robot, gait).samples
    assert s is not None
    plain = crawl(robot, gait).samples(800)
    t, wanted = s.t / gait.period, gait.sample(s.t)
    rows = [JointReference(*(tuple(row.tolist()) for row in point)) for point in zip(*wanted, strict=True)]
    ideal = np.array([contact_reference(robot, row).v for row in rows])
    for i, colour in enumerate((ONE, TWO)):
        joints.plot(t, np.degrees(s.q[:, i]), color=colour, label=f"joint {i + 1}")
        joints.plot(t, np.degrees(wanted[0][:, i]), "--", color=colour, linewidth=1.0)
        contacts.plot(t, s.v[:, i], color=colour, label=f"foot {i + 1}")
        contacts.plot(t, ideal[:, i], "--", color=colour, linewidth=1.0)
        difference.plot(t, s.v[:, i], color=colour, label=f"foot {i + 1}")
        difference.plot(plain.t / gait.period, (plain.v1, plain.v2)[i], "--", color=colour, linewidth=1.0)
    for edge in (90.0, 130.0):
        joints.axhline(edge, color="tab:red", linewidth=0.8, linestyle=":")
    shade(joints, s, gait.period)
    shade(contacts, s, gait.period)
    joints.set_title(f"{gait.omega:g} rad/s: joints (dashed: reference, dotted: Φ)")
    joints.set_ylabel("angle [°]")
    contacts.set_title("contact velocities (dashed: reference)")
    difference.set_title("contact velocities (dashed: without feedback)")
    for axes in (contacts, difference):
        axes.set_ylabel("x' in the paper's axes [m/s]")
    for axes in columns:
        axes.set_xlabel("t / T")


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
            ring_step(spec, PyBulletBackend(spec, PyBulletSettings(), 1.0 / RATE), omega),
        )
        print(f"| {omega:g} |", " | ".join("none" if math.isnan(x) else f"{x:.2f}" for x in row), "|", flush=True)
        table.append(row)
    without, _, continuous, model, physics = np.array(table).T
    axes.plot(OMEGAS, without, "--", color="grey", label="without feedback")
    axes.plot(OMEGAS, continuous, color=GREEN, label="continuous time")
    axes.plot(OMEGAS, model, "o", markersize=5, markerfacecolor="none", color=ONE, label="model, 500 Hz")
    axes.plot(OMEGAS, physics, "x", markersize=5, color="tab:red", label="PyBullet, 500 Hz")
    axes.set_title("step length over frequency")
    axes.set_xlabel("omega [rad/s]")
    axes.set_ylabel("step length [mm]")


if __name__ == "__main__":
    spec = load_robot("three_link")
    robot = ThreeLink.from_parameters(spec.parameters)
    figure, ((a, b), (c, d)) = plt.subplots(2, 2, figsize=(11, 7.6), layout="constrained")
    draw_gait((a, b, c), robot, make_gait(spec, None, {"omega": SHOWN}))
    draw_frequencies(d, spec, robot)
    for axes in (a, b, c, d):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, framealpha=0.6)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=100)
