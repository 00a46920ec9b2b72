"""Find the frequency at which three_link travels fastest, by its equations, and draw the curve.

Start it with `./crawler python examples/my_study.py`; it takes a few seconds and writes studies/my_study.png.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from crawler_core.robot.robot_file import load_robot
from crawler_models.model_registry import predict
from gait_generators.kinds.gait_registry import make_gait

FREQUENCIES = np.linspace(0.5, 12.0, 47)  # rad/s


def main(picture: str = "studies/my_study.png") -> None:
    """Evaluate the gait at each frequency, print the fastest one, draw all."""
    spec = load_robot("three_link", {"friction": 0.398})
    states = [predict(spec, make_gait(spec, "harmonic", {"omega": float(omega)})) for omega in FREQUENCIES]
    speed = np.array([state["speed_m_s"] if state["valid"] else np.nan for state in states])

    best = int(np.nanargmax(speed))
    print(f"fastest: {1e3 * speed[best]:.2f} mm/s at {FREQUENCIES[best]:.2f} rad/s")

    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.subplots()
    axes.plot(FREQUENCIES, 1e3 * speed)
    axes.set_xlabel("omega [rad/s]")
    axes.set_ylabel("speed [mm/s]")
    Path(picture).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
