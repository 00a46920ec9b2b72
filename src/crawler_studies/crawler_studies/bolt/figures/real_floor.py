"""The paper's run beside the robot file's, which a real floor carries: friction, torque, power and speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_core.errors import UserError
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.prediction import robot_law
from crawler_models.bolt.runs.hybrid_run import Mode
from crawler_models.bolt.runs.sampled_run import Start, simulate_sampled
from crawler_studies.bolt.figures.figure_data import STRIDES, FigureData, apart, shade
from crawler_studies.plots.drawing import BLUE, RED, Array, Drawing

SHOWN = 1.1  # s, of the end of each run


@dataclass(frozen=True)
class Course:
    """One run: what it asks for over time, and of its strides."""

    title: str
    t: Array  # s
    down: Array  # 1 on the ground
    friction: Array
    torque: Array  # N m
    power: Array  # W
    speed: Array  # m/s, of the body
    strides: dict[str, Array]

    @property
    def table(self) -> dict[str, Array]:
        return {
            "t_s": self.t,
            "on_ground": self.down,
            "friction": self.friction,
            "torque_N_m": self.torque,
            "power_W": self.power,
            "speed_m_s": self.speed,
        }


def draw_floor(data: FigureData) -> Drawing:
    courses = {"paper": papers(data), "robot_file": robot_files(data)}
    crank = next(joint for joint in data.spec.joints if joint.actuated)
    limits = ((data.spec.parameters["friction"],), (-30.0, 30.0), (-crank.power, crank.power), ())

    def draw(figure: Figure) -> None:
        panels = figure.subplots(4, 2, sharey="row")
        for column, course in zip(panels.T, courses.values(), strict=True):
            since = course.t - (course.t[-1] - SHOWN)
            column[0].set_title(course.title, fontsize=9)
            values = (course.friction, course.torque, course.power, course.speed)
            for axes, value, ends in zip(column, values, limits, strict=True):
                shade(axes, since, course.down > 0.0)
                (axes.semilogy if axes is column[0] else axes.plot)(since, value, color=BLUE, linewidth=1.2)
                for end in ends:
                    axes.axhline(end, color=RED, linewidth=1.0)
                axes.set_xlim(0.0, SHOWN)
                axes.grid(alpha=0.3)
            column[0].set_ylim(1e-2, 100.0)
            column[3].set_xlabel("t [s]; the foot is on the ground where it is grey")
        for axes, label in zip(
            panels[:, 0],
            ("|F_T| / F_N", "torque [N m]", "power [W]", "speed of the body [m/s]"),
            strict=True,
        ):
            axes.set_ylabel(label)
        panels[1, 0].set_ylim(-230.0, 80.0)
        beside(panels[0, 1], limits[0][0], "the floor's friction")
        beside(panels[1, 1], 30.0, "30 N m, the most in flight")
        beside(panels[2, 1], crank.power, "the motor's peak", above=False)

    tables = {name: course.table for name, course in courses.items()}
    tables |= {f"{name}_strides": course.strides for name, course in courses.items()}
    return Drawing("floor", "the paper's run, and the run of the robot file", tables, draw, (11.0, 9.0))


def papers(data: FigureData) -> Course:
    """On a floor to which the foot is nailed."""
    run = data.run
    strides = {
        "period_s": run.period,
        "length_m": run.length,
        "friction": run.friction_needed,
        "slip_m": run.slip,
        "peak_torque_N_m": run.peak_torque,
        "peak_power_W": run.peak_power,
        "backward_rad_s": run.backward,
    }
    return Course(
        f"the paper's: {run.speed[-1]:.2f} m/s, friction {run.friction_needed[-1]:.1f}, "
        f"{run.peak_torque[-1]:.0f} N m,\n{run.peak_power[-1]:.0f} W, crank backward at {run.backward[-1]:.0f} rad/s",
        run.t,
        (run.mode != Mode.FLIGHT).astype(float),
        apart(run.F_T, run.F_N),
        run.tau,
        run.tau * run.dq[:, 0],
        run.dq[:, 1],
        strides,
    )


def robot_files(data: FigureData) -> Course:
    """With the robot file's foot, floor and rotor, and its law, sampled. Raises UserError where it ends early."""
    spec = data.spec
    crank = next(joint for joint in spec.joints if joint.actuated)
    leg, law = Leg.from_parameters(spec.parameters), robot_law(spec)
    run = simulate_sampled(leg, law, Start.of(spec), STRIDES, torque=crank.effort, power=crank.power, traced=True)
    if run.reason:
        raise UserError(f"the run of the robot file ends early: {run.reason}.")
    torque = np.maximum(run.column("torque_flight"), run.column("torque_stance"))
    strides = {
        "period_s": run.column("period"),
        "length_m": run.column("distance"),
        "friction": run.column("friction"),
        "slip_m": run.column("slip"),
        "peak_torque_N_m": torque,
        "peak_power_W": run.column("power"),
        "backward_rad_s": run.column("backward"),
    }
    back = float(run.column("backward")[-1])
    turns = f"crank backward at {back:.0f} rad/s" if back > 0.0 else "the crank never turns backward"
    return Course(
        f"the robot file's: {run.speed(8):.2f} m/s, friction {run.largest('friction', 8):.2f}, "
        f"{torque[-8:].max():.0f} N m,\n{run.largest('power', 8):.0f} W, {turns}",
        run.traced("t"),
        (run.traced("F_N") > 0.0).astype(float),
        apart(run.traced("F_T"), run.traced("F_N")),
        run.traced("tau"),
        run.traced("tau") * run.traced("dq1"),
        run.traced("vx"),
        strides,
    )


def beside(axes: Axes, at: float, text: str, above: bool = True) -> None:
    """What a red line is."""
    axes.annotate(
        text, (0.98, at), xycoords=("axes fraction", "data"), xytext=(0, 3 if above else -3),
        textcoords="offset points", fontsize=8, color=RED, ha="right", va="bottom" if above else "top",
    )  # fmt: skip
