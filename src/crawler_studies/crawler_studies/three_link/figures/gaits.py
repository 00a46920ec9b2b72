"""The shapes of the Fourier libraries beside the best gaits (5) and (8) within the same limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crawler_core.robot.robot_file import load_robot
from crawler_models.three_link import ThreeLink
from crawler_models.three_link.compiled import ShapeTable
from crawler_studies.plots.drawing import Array, TextTable
from crawler_studies.three_link.figures.figure_data import FigureData
from crawler_studies.three_link.figures.time_scaling import FAILED_STEP_M, MAX_ALPHA, minimise
from crawler_studies.three_link.shape_design import Limits
from crawler_studies.three_link.shape_design.task import ShapeTask
from gait_generators.kinds.time_scaled import TimeScaled
from gait_generators.shapes.shape_file import Predicted, TunedFor
from gait_generators.shapes.shape_library import read_library

LIBRARIES = ("swing_18", "swing_30")
LIMIT_SAMPLES = 128  # of a period


@dataclass(frozen=True)
class BestGait:
    """A gait and its step, m."""

    gait: TimeScaled
    value: float


def make_gaits(data: FigureData) -> TextTable:
    rows = []
    for library in LIBRARIES:
        for tuned, predicted in _shapes(library):
            limits = Limits(tuned.centre, tuned.swing, tuned.velocity, tuned.acceleration)
            harmonic = find_best(data.hard, tuned.omega, limits, scaled=False, worst=True)
            nominal = find_best(data.hard, tuned.omega, limits, scaled=True, worst=False)
            worst = find_best(data.hard, tuned.omega, limits, scaled=True, worst=True)
            numbers = [1e3 * abs(one.value) for one in (harmonic, nominal, worst)]  # abs: no negative zero
            numbers += [predicted.nominal_step, predicted.worst_step]
            rows.append([f"`{library}`", f"{tuned.omega:g}", *(f"{number:.1f}" for number in numbers)])
    return TextTable(
        "gaits",
        "steps of the best gaits of each kind, mm",
        ["library", "ω, rad/s", "(5), worst", "(8), nominal", "(8), worst", "fourier, nominal", "fourier, worst"],
        rows,
        "Worst is the worst of nine robots, whose feet have 0.9, 1 or 1.1 times the friction each by itself, of a gait "
        "that is tuned for it; (8), nominal is tuned for the nominal step, as in the paper. All keep the swing, "
        "6 rad/s, 200 rad/s² and a twentieth of the weight on each foot.",
    )


def _shapes(library: str) -> list[tuple[TunedFor, Predicted]]:
    """Return the conditions of each shape and its predicted steps, in the order of omega."""
    files = read_library(load_robot("three_link"), library).values()
    known = [(file.tuned_for, file.predicted) for file in files if file.tuned_for and file.predicted]
    return sorted(known, key=lambda shape: shape[0].omega)


def find_best(robot: ThreeLink, omega: float, limits: Limits, *, scaled: bool, worst: bool) -> BestGait:
    """Return the longest step of the gaits (5), or (8) if ``scaled``, over psi and the amplitude, alpha and Upsilon.

    ``worst``: of nine robots with other frictions.
    """
    frictions = ShapeTask(robot, ("joint_1", "joint_2"), omega, limits).frictions[: None if worst else 1]
    scaling = [(0.0, MAX_ALPHA), (-np.pi, np.pi)] if scaled else []
    phases = (0.0 if scaled else -np.pi, np.pi)  # below 0 wins where the plain gait goes backwards, at 4 to 6.5 rad/s

    def motion(x: Array) -> TimeScaled:
        alpha, upsilon = x[2:] if scaled else (0.0, 0.0)
        amplitude = np.radians(limits.swing) * float(x[1])
        return TimeScaled(omega, amplitude, np.radians(limits.centre), float(x[0]), float(alpha), float(upsilon))

    loss = _loss(robot, omega, limits, frictions, motion)
    found = minimise(loss, [phases, (0.1, 1.0), *scaling], max_generations=50)
    return BestGait(motion(found.x), -float(found.fun))


def _loss(
    robot: ThreeLink, omega: float, limits: Limits, frictions: Array, motion: Callable[[Array], TimeScaled]
) -> Callable[[Array], Array]:
    mu1, mu2 = frictions.T

    def loss(columns: Array) -> Array:
        gaits = [motion(x) for x in columns.T]
        which = np.arange(len(gaits))[:, np.newaxis]
        found = ShapeTable(robot, gaits).crawl(which, omega, mu1, mu2, robot.g)
        steps = found.step_length.min(axis=1)
        loaded = found.min_normal_force.min(axis=1) >= limits.lightest_foot * robot.mass * robot.g
        samples = [gait.sample(np.linspace(0.0, gait.period, LIMIT_SAMPLES)) for gait in gaits]
        is_within = np.array([_is_within(limits, one.velocity, one.acceleration) for one in samples])
        return np.where(np.isfinite(steps) & loaded & is_within, -steps, FAILED_STEP_M)

    return loss


def _is_within(limits: Limits, velocity: Array, acceleration: Array) -> bool:
    return bool(np.abs(velocity).max() <= limits.velocity and np.abs(acceleration).max() <= limits.acceleration)
