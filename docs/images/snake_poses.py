"""Draws snake_poses.png: the snake in PyBullet at four instants of a cycle of the closed wave."""

from pathlib import Path

import matplotlib
import numpy as np
import pybullet
from matplotlib.figure import Figure

from crawler_core.robot.robot_file import load_robot
from crawler_core.types import JointCommand
from crawler_studies.plots.drawing import DPI
from gait_generators.kinds.gait_registry import make_gait
from sim_bridge.bullet.pybullet_backend import PybulletBackend, PybulletSettings

matplotlib.use("Agg")
DT = 0.005  # s
SHOWN = (0.0, 1.0, 2.0, 3.0)  # intervals of the cycle

spec = load_robot("snake")
gait = make_gait(spec, "serpenoid_closed", {"n": 6})
backend = PybulletBackend(spec, PybulletSettings(**spec.section("backends")["physics"]), DT)
backend.open()
figure = Figure(figsize=(11.0, 5.2), layout="constrained")
panels = iter(figure.subplots(2, 2).flat)
times = [round(share * gait.interval / DT) for share in SHOWN]
for k in range(times[-1] + 1):
    q, dq, _ = gait.sample(k * DT)
    backend.apply(JointCommand(q, dq, np.full(len(q), np.nan)))
    backend.advance(DT)
    if k in times:
        view = pybullet.computeViewMatrix((0.42, -1.15, 0.40), (0.42, 0.0, 0.10), (0.0, 0.0, 1.0))
        lens = pybullet.computeProjectionMatrixFOV(22.0, 2.4, 0.01, 10.0)
        image = pybullet.getCameraImage(960, 400, view, lens)
        axes = next(panels)
        axes.imshow(np.reshape(image[2], (image[1], image[0], 4))[:, :, :3])
        axes.axis("off")
        axes.set_title(f"t = {k * DT:.2f} s", fontsize=9, loc="left")
backend.close()
figure.savefig(Path(__file__).with_suffix(".png"), dpi=DPI)
