"""Fig. 13: the gait under feedback (19), beside its references."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from crawler_models.three_link.equations.closed_chain import closed_chain
from crawler_models.three_link.feedback.feedback_crawl import FeedbackCrawl, feedback_crawl
from crawler_models.three_link.feedback.feedback_law import FeedbackLaw
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, RED, Drawing
from crawler_studies.three_link.figures.figure_data import FigureData, gait

OMEGA = 8.0  # rad/s, as printed
LAW = FeedbackLaw()  # with the gains that are printed


def make(data: FigureData) -> Drawing:
    found = with_feedback(data)
    samples = found.samples
    assert samples is not None
    motion = gait(OMEGA)
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
        for edge in (LAW.phi_min, LAW.phi_max):
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
    title = f"feedback (19), dashed: reference, at {OMEGA:g} rad/s: S = {1e3 * found.step_length:.1f} mm"
    return Drawing(13, title, {"": columns}, draw, (11.0, 4.2))


def with_feedback(data: FigureData) -> FeedbackCrawl:
    """The literal law."""
    return feedback_crawl(data.hard, gait(OMEGA), LAW)
