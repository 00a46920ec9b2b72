"""Figs. 13 and 14, the gait under the feedback law (19), and the parts of its motion that make its step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.equations.closed_chain import closed_chain
from crawler_models.three_link.feedback.feedback_crawl import FeedbackCrawl, FeedbackSamples, feedback_crawl
from crawler_models.three_link.feedback.feedback_law import FeedbackLaw
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, ORANGE, RED, Array, Drawing
from crawler_studies.three_link.figures.figure_data import AMPLITUDE, PSI, FigureData, gait
from gait_generators.kinds.fourier import Fourier
from gait_generators.shapes.shape import Shape

PRINTED_OMEGA = 8.0  # rad/s
PRINTED_LAW = FeedbackLaw()
# rad/s, where the printed law has a solution
SOLVABLE_OMEGAS = (2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 14.0)


def draw_fig13(data: FigureData) -> Drawing:
    found = crawl_with_feedback(data)
    samples = found.samples
    assert samples is not None
    motion = gait(PRINTED_OMEGA)
    reference = motion.sample(samples.t)
    opening = closed_chain(data.hard, *reference).d1
    wanted = np.stack((np.where(opening > 0.0, -opening, 0.0), np.where(opening > 0.0, 0.0, opening)), axis=-1)

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        for foot, colour in enumerate((BLUE, BLACK)):
            left.plot(samples.t, np.degrees(samples.q[:, foot]), color=colour, label=rf"$\varphi_{foot + 1}$")
            left.plot(samples.t, np.degrees(reference.position[:, foot]), color=colour, linestyle="--")
            right.plot(samples.t, -1e3 * samples.v[:, foot], color=colour, label=f"foot {foot + 1}")
            right.plot(samples.t, -1e3 * wanted[:, foot], color=colour, linestyle="--")
        for edge in (PRINTED_LAW.phi_min, PRINTED_LAW.phi_max):
            left.axhline(np.degrees(edge), color=RED, linewidth=0.8, linestyle=":")
        for axes in (left, right):
            axes.fill_between(
                samples.t,
                0.0,
                1.0,
                where=samples.tracks_contacts,
                step="post",
                color=GREY,
                alpha=0.3,
                linewidth=0.0,
                transform=axes.get_xaxis_transform(),
                label="contacts tracked",
            )
        left.set_ylabel("(a) joint angle [°]; dotted: Φ")
        right.set_ylabel("(b) velocity, forwards [mm/s]")
        for axes in (left, right):
            axes.set_xlabel("t [s]")
            axes.legend(fontsize=8, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)

    columns = {
        "t_s": samples.t,
        "phi1_deg": np.degrees(samples.q[:, 0]),
        "phi2_deg": np.degrees(samples.q[:, 1]),
        "phi1_reference_deg": np.degrees(reference.position[:, 0]),
        "phi2_reference_deg": np.degrees(reference.position[:, 1]),
        "v1_mm_s": -1e3 * samples.v[:, 0],
        "v2_mm_s": -1e3 * samples.v[:, 1],
        "v1_reference_mm_s": -1e3 * wanted[:, 0],
        "v2_reference_mm_s": -1e3 * wanted[:, 1],
    }
    title = f"feedback (19), dashed: reference, at {PRINTED_OMEGA:g} rad/s: S = {1e3 * found.step_length:.1f} mm"
    return Drawing(13, title, {"": columns}, draw, (11.0, 4.2))


def crawl_with_feedback(data: FigureData) -> FeedbackCrawl:
    """Crawl with the law as it is printed."""
    return feedback_crawl(data.hard, gait(PRINTED_OMEGA), PRINTED_LAW)


def draw_fig14(data: FigureData) -> Drawing:
    closed = crawl_with_feedback(data).samples
    assert closed is not None
    plain = crawl(data.hard, gait(PRINTED_OMEGA)).samples(721)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for foot, (colour, v) in enumerate(((BLUE, plain.v1), (BLACK, plain.v2))):
            axes.plot(closed.t, -1e3 * closed.v[:, foot], color=colour, label=f"foot {foot + 1}, feedback")
            axes.plot(plain.t, -1e3 * v, color=colour, linestyle="--", label=f"foot {foot + 1}, prescribed angles")
        axes.axhline(0.0, color="black", linewidth=0.5)
        axes.set_xlabel("t [s]")
        axes.set_ylabel("velocity, forwards [mm/s]")
        axes.legend(fontsize=8)

    tables = {
        "feedback": {"t_s": closed.t, "v1_mm_s": -1e3 * closed.v[:, 0], "v2_mm_s": -1e3 * closed.v[:, 1]},
        "prescribed": {"t_s": plain.t, "v1_mm_s": -1e3 * plain.v1, "v2_mm_s": -1e3 * plain.v2},
    }
    return Drawing(
        14, f"contacts' velocities with and without feedback, {PRINTED_OMEGA:g} rad/s", tables, draw, (8.0, 4.5)
    )


class StepAccount(NamedTuple):
    """The parts of the step at one frequency; steps and slips in mm a cycle, a slip back of both feet together."""

    omega_rad_s: float
    S_without_mm: float
    S_law_mm: float
    S_means_mm: float  # without feedback: the reference about the means that the law's joints have
    S_first_mm: float  # without feedback: these means, and the first harmonics of the law's joints
    contact_tracking_percent: float  # of the cycle
    sticking_percent: float  # of the cycle, of either foot
    mean_1_deg: float
    mean_2_deg: float
    back_without_mm: float
    back_law_mm: float
    back_means_mm: float


def draw_feedback(data: FigureData) -> Drawing:
    rows = [account_for_step(data.hard, omega) for omega in SOLVABLE_OMEGAS]
    columns = {
        name: np.array(values) for name, values in zip(StepAccount._fields, zip(*rows, strict=True), strict=True)
    }

    def draw(figure: Figure) -> None:
        left, middle, right = figure.subplots(1, 3)
        omega = columns["omega_rad_s"]
        for key, colour, style, label in (
            ("S_law_mm", BLACK, "-", "the law (19)"),
            ("S_first_mm", BLUE, "-", "no feedback: its means and first harmonics"),
            ("S_means_mm", ORANGE, "-", "no feedback: (5) about its means"),
            ("S_without_mm", GREY, "--", "no feedback: (5)"),
        ):
            left.plot(omega, columns[key], color=colour, linestyle=style, marker=".", label=label)
        left.set_ylabel("S [mm]")
        for key, colour, style, label in (
            ("back_law_mm", BLACK, "-", "the law (19)"),
            ("back_means_mm", ORANGE, "-", "no feedback: (5) about its means"),
            ("back_without_mm", GREY, "--", "no feedback: (5)"),
        ):
            middle.plot(omega, columns[key], color=colour, linestyle=style, marker=".", label=label)
        middle.set_ylabel("slip backwards, both feet [mm a cycle]")
        middle.set_ylim(0.0, None)
        right.plot(omega, columns["contact_tracking_percent"], color=BLACK, marker=".", label="contacts are tracked")
        right.plot(omega, columns["sticking_percent"], color=BLUE, marker=".", label="a foot sticks")
        right.set_ylabel("share of the cycle [%]")
        right.set_ylim(0.0, 100.0)
        for axes in (left, middle, right):
            axes.set_xlabel("ω [rad/s]")
            axes.legend(fontsize=8)

    return Drawing("feedback", "where the step under feedback (19) comes from", {"": columns}, draw, (14.0, 4.4))


def account_for_step(robot: ThreeLink, omega: float) -> StepAccount:
    """Take the law's steady crawl at `omega` (rad/s) apart."""
    motion = gait(omega)
    law, plain = feedback_crawl(robot, motion), crawl(robot, motion)
    assert law.samples is not None, law.reason
    s, cycle = law.samples, law.period * law.repeats_after
    mean, first = harmonic(s, cycle, 0).real, 2.0 * harmonic(s, cycle, law.repeats_after)
    about_means = crawl(robot, _about(omega, mean, *_reference()))
    first_too = crawl(robot, _about(omega, mean, first.real, -first.imag))
    sticks = (s.modes[:-1] == 0).any(axis=1)
    before, after = plain.samples(2001), about_means.samples(2001)
    return StepAccount(
        omega,
        1e3 * plain.step_length,
        1e3 * law.step_length,
        1e3 * about_means.step_length,
        1e3 * first_too.step_length,
        100.0 * law.contact_tracking_share,
        100.0 * float(np.diff(s.t) @ sticks) / cycle,
        float(np.degrees(mean[0])),
        float(np.degrees(mean[1])),
        slipped_back(before.t, np.stack((before.v1, before.v2), axis=-1)),
        slipped_back(s.t, s.v) / law.repeats_after,
        slipped_back(after.t, np.stack((after.v1, after.v2), axis=-1)),
    )


def harmonic(samples: FeedbackSamples, cycle: float, order: int) -> Array:
    """Return the complex coefficient of exp(2 pi i order t / cycle) in both joints' angles, rad."""
    turned = np.exp(-2j * np.pi * order * samples.t / cycle)[:, np.newaxis] * samples.q
    return np.asarray(np.trapezoid(turned, samples.t, axis=0) / cycle)


def slipped_back(t: Array, velocity: Array) -> float:
    """Return the slip of both feet together against the direction of travel, mm; velocities are the paper's."""
    return float(1e3 * np.trapezoid(velocity.clip(min=0.0), t, axis=0).sum())


def _reference() -> tuple[Array, Array]:
    """Return the coefficients of cos(omega t) and sin(omega t) in (5), rad."""
    half = 0.5 * PSI
    return AMPLITUDE * np.array([np.sin(half), -np.sin(half)]), AMPLITUDE * np.array([np.cos(half), np.cos(half)])


def _about(omega: float, mean: Array, cos: Array, sin: Array) -> Fourier:
    return Fourier(omega, Shape(("joint_1", "joint_2"), mean, cos[:, np.newaxis], sin[:, np.newaxis]))
