"""Draws the simulated figures of "Dynamic Modeling and Gait Analysis for Miniature Robots ...", and one more.

Not here: Figs. 1 to 4, which are photographs and diagrams. crawler_models names these figures.
Imported by: none.
"""

from crawler_studies.miniaq.figures.figure_data import FigureData
from crawler_studies.plots.drawing import PaperFigures

PAPER_FIGURES = PaperFigures.of(
    __name__,
    FigureData,
    {
        "5": "walks:draw_fig05",
        "6": "walks:draw_fig06",
        "7": "walks:draw_fig07",
        "8": "gait_diagrams:draw_fig08",
        "9": "gait_diagrams:draw_fig09",
        "phase": "phase_errors:draw_phase",
    },
)
