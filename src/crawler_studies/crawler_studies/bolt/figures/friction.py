"""What the paper's run asks for: friction, torque and power, beside what there is."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_studies.bolt.figures.figure_data import FigureData, apart, shade_stance
from crawler_studies.plots.drawing import BLACK, BLUE, RED, Drawing

SHOWN = 1.2  # s
RUBBER = 0.8  # on a dry floor
FLIGHT_TORQUE = 30.0  # N m, the paper's limit


def draw_friction(data: FigureData) -> Drawing:
    run = data.run
    ratio, power = apart(run.F_T, run.F_N), run.tau * run.dq[:, 0]
    peak = next(joint.power for joint in data.spec.joints if joint.actuated)
    tables = {
        "": {
            "t_s": run.t,
            "mode": run.mode.astype(float),
            "F_T_N": run.F_T,
            "F_N_N": run.F_N,
            "torque_N_m": run.tau,
            "power_W": power,
        },
        "strides": {
            "friction_needed": run.friction_needed,
            "impulse_ratio": run.impulse_ratio,
            "peak_torque_N_m": run.peak_torque,
            "peak_power_W": run.peak_power,
            "backward_rad_s": run.backward,
            "work_J": run.work,
            "impact_loss_J": run.impact_loss,
        },
    }

    def draw(figure: Figure) -> None:
        friction, torque, watts = figure.subplots(3, 1, sharex=True)
        friction.semilogy(run.t, ratio, color=BLUE, label="|F_T| / F_N")
        friction.axhline(RUBBER, color=RED, linewidth=1.0, label=f"{RUBBER:g}, rubber on a dry floor")
        friction.set_ylabel("friction needed")
        friction.set_ylim(1e-2, 1e3)
        torque.plot(run.t, run.tau, color=BLUE, label="tau")
        torque.plot([], [], color=RED, linewidth=1.0, label=f"±{FLIGHT_TORQUE:g} N m, the limit in flight")
        for side in (-1.0, 1.0):
            torque.axhline(side * FLIGHT_TORQUE, color=RED, linewidth=1.0)
        torque.set(ylabel="torque [N m]", ylim=(-230.0, 120.0))
        watts.plot(run.t, power, color=BLUE, label="tau dq_1/dt")
        for side in (-1.0, 1.0):
            watts.axhline(
                side * peak, color=RED, linewidth=1.0, label=f"±{peak:g} W, the motor's peak" if side > 0 else None
            )
        watts.set(
            ylabel="power [W]", ylim=(-1700.0, 2600.0), xlabel="t [s]; the foot is on the ground where it is grey"
        )
        for axes in (friction, torque, watts):
            shade_stance(axes, run, SHOWN)
            axes.axhline(0.0, color=BLACK, linewidth=0.5) if axes is not friction else None
            axes.set_xlim(0.0, SHOWN)
            axes.legend(fontsize=8, loc="upper right", ncols=2, framealpha=0.95)
            axes.grid(alpha=0.3)

    last = slice(len(run.period) // 2, None)  # steady by then
    title = (
        f"the paper's run needs friction {np.max(run.friction_needed[last]):.1f} while it sticks, "
        f"{run.peak_torque[last].max():.0f} N m and {run.peak_power[last].max():.0f} W"
    )
    return Drawing("friction", title, tables, draw, (10.0, 7.5))
