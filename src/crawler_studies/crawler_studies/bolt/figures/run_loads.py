"""The loads of the paper's run, and those of the run of the robot file, which a real floor carries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_core.errors import UserError
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.prediction import robot_law
from crawler_models.bolt.simulation.hybrid_run import Mode
from crawler_models.bolt.simulation.sampled_run import Start, simulate_sampled
from crawler_studies.bolt.figures.figure_data import (
    GROUND_TIME_LABEL,
    STRIDES,
    FigureData,
    friction_ratio,
    shade,
    shade_stance,
)
from crawler_studies.plots.drawing import BLACK, BLUE, RED, Array, Drawing

LOADS_TIME_S = 1.2  # of the figure of the loads
FLOOR_TIME_S = 1.1  # of the end of each run
RUBBER_FRICTION = 0.8  # on a dry floor
FLIGHT_TORQUE = 30.0  # N m, the paper's limit


def draw_friction(data: FigureData) -> Drawing:
    run = data.run
    ratio, power = friction_ratio(run.F_T, run.F_N), run.tau * run.dq[:, 0]
    peak = data.crank.power
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
        label = f"{RUBBER_FRICTION:g}, rubber on a dry floor"
        friction.axhline(RUBBER_FRICTION, color=RED, linewidth=1.0, label=label)
        friction.set_ylabel("friction needed")
        friction.set_ylim(1e-2, 1e3)
        torque.plot(run.t, run.tau, color=BLUE, label="tau")
        torque.plot([], [], color=RED, linewidth=1.0, label=f"±{FLIGHT_TORQUE:g} N m, the limit in flight")
        for side in (-1.0, 1.0):
            torque.axhline(side * FLIGHT_TORQUE, color=RED, linewidth=1.0)
        torque.set(ylabel="torque [N m]", ylim=(-230.0, 120.0))
        watts.plot(run.t, power, color=BLUE, label="tau dq_1/dt")
        for side in (-1.0, 1.0):
            peak_label = f"±{peak:g} W, the motor's peak" if side > 0 else None
            watts.axhline(side * peak, color=RED, linewidth=1.0, label=peak_label)
        watts.set(ylabel="power [W]", ylim=(-1700.0, 2600.0), xlabel=GROUND_TIME_LABEL)
        for axes in (friction, torque, watts):
            shade_stance(axes, run, LOADS_TIME_S)
            axes.axhline(0.0, color=BLACK, linewidth=0.5) if axes is not friction else None
            axes.set_xlim(0.0, LOADS_TIME_S)
            axes.legend(fontsize=8, loc="upper right", ncols=2, framealpha=0.95)
            axes.grid(alpha=0.3)

    last = slice(len(run.period) // 2, None)  # steady by then
    title = (
        f"the paper's run needs friction {np.max(run.friction_needed[last]):.1f} while it sticks, "
        f"{run.peak_torque[last].max():.0f} N m and {run.peak_power[last].max():.0f} W"
    )
    return Drawing("friction", title, tables, draw, (10.0, 7.5))


@dataclass(frozen=True)
class RunLoads:
    """The loads of one run: over time, by the columns of its table, and of its strides."""

    title: str
    table: dict[str, Array]
    strides: dict[str, Array]


def draw_floor(data: FigureData) -> Drawing:
    runs = {"paper": _paper_loads(data), "robot_file": _robot_file_loads(data)}
    peak = data.crank.power
    rows = {  # of panels: label and limits of each column
        "friction": ("|F_T| / F_N", (data.spec.parameters["friction"],)),
        "torque_N_m": ("torque [N m]", (-FLIGHT_TORQUE, FLIGHT_TORQUE)),
        "power_W": ("power [W]", (-peak, peak)),
        "speed_m_s": ("speed of the body [m/s]", ()),
    }

    def draw(figure: Figure) -> None:
        panels = figure.subplots(4, 2, sharey="row")
        for column, run in zip(panels.T, runs.values(), strict=True):
            time = run.table["t_s"]
            since = time - (time[-1] - FLOOR_TIME_S)
            column[0].set_title(run.title, fontsize=9)
            for axes, (key, (_, limits)) in zip(column, rows.items(), strict=True):
                shade(axes, since, run.table["on_ground"] > 0.0)
                (axes.semilogy if axes is column[0] else axes.plot)(since, run.table[key], color=BLUE, linewidth=1.2)
                for limit in limits:
                    axes.axhline(limit, color=RED, linewidth=1.0)
                axes.set_xlim(0.0, FLOOR_TIME_S)
                axes.grid(alpha=0.3)
            column[0].set_ylim(1e-2, 100.0)
            column[3].set_xlabel(GROUND_TIME_LABEL)
        for axes, (label, _) in zip(panels[:, 0], rows.values(), strict=True):
            axes.set_ylabel(label)
        panels[1, 0].set_ylim(-230.0, 80.0)
        _label_line(panels[0, 1], data.spec.parameters["friction"], "the floor's friction")
        _label_line(panels[1, 1], FLIGHT_TORQUE, "30 N m, the most in flight")
        _label_line(panels[2, 1], peak, "the motor's peak", above=False)

    tables = {name: run.table for name, run in runs.items()}
    tables |= {f"{name}_strides": run.strides for name, run in runs.items()}
    return Drawing("floor", "the paper's run, and the run of the robot file", tables, draw, (11.0, 9.0))


def _paper_loads(data: FigureData) -> RunLoads:
    """Return the loads on a floor on which the foot never slips."""
    run = data.run
    title = (
        f"the paper's: {run.speed[-1]:.2f} m/s, friction {run.friction_needed[-1]:.1f}, {run.peak_torque[-1]:.0f} N m,"
        f"\n{run.peak_power[-1]:.0f} W, crank backward at {run.backward[-1]:.0f} rad/s"
    )
    table = {
        "t_s": run.t,
        "on_ground": (run.mode != Mode.FLIGHT).astype(float),
        "friction": friction_ratio(run.F_T, run.F_N),
        "torque_N_m": run.tau,
        "power_W": run.tau * run.dq[:, 0],
        "speed_m_s": run.dq[:, 1],
    }
    strides = {
        "period_s": run.period,
        "length_m": run.length,
        "friction": run.friction_needed,
        "slip_m": run.slip,
        "peak_torque_N_m": run.peak_torque,
        "peak_power_W": run.peak_power,
        "backward_rad_s": run.backward,
    }
    return RunLoads(title, table, strides)


def _robot_file_loads(data: FigureData) -> RunLoads:
    """Return the loads with the robot file's foot, floor, rotor and sampled law. Raises UserError for an early end."""
    spec, crank = data.spec, data.crank
    leg, law = Leg.from_parameters(spec.parameters), robot_law(spec)
    run = simulate_sampled(leg, law, Start.of(spec), STRIDES, torque=crank.effort, power=crank.power, traced=True)
    if run.reason:
        raise UserError(f"the run of the robot file ends early: {run.reason}.")
    torque = np.maximum(run.column("torque_flight"), run.column("torque_stance"))
    back = float(run.column("backward")[-1])
    turns = f"crank backward at {back:.0f} rad/s" if back > 0.0 else "the crank never turns backward"
    title = (
        f"the robot file's: {run.speed(8):.2f} m/s, friction {run.largest('friction', 8):.2f}, "
        f"{torque[-8:].max():.0f} N m,\n{run.largest('power', 8):.0f} W, {turns}"
    )
    table = {
        "t_s": run.traced("t"),
        "on_ground": (run.traced("F_N") > 0.0).astype(float),
        "friction": friction_ratio(run.traced("F_T"), run.traced("F_N")),
        "torque_N_m": run.traced("tau"),
        "power_W": run.traced("tau") * run.traced("dq1"),
        "speed_m_s": run.traced("vx"),
    }
    names = {"period": "period_s", "distance": "length_m", "friction": "friction", "slip": "slip_m"}
    strides = {name: run.column(key) for key, name in names.items()}
    strides |= {
        "peak_torque_N_m": torque,
        "peak_power_W": run.column("power"),
        "backward_rad_s": run.column("backward"),
    }
    return RunLoads(title, table, strides)


def _label_line(axes: Axes, y: float, text: str, above: bool = True) -> None:
    axes.annotate(
        text, (0.98, y), xycoords=("axes fraction", "data"), xytext=(0, 3 if above else -3),
        textcoords="offset points", fontsize=8, color=RED, ha="right", va="bottom" if above else "top",
    )  # fmt: skip
