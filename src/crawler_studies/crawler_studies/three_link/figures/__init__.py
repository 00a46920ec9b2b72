"""Draws the figures of "Dynamic Inchworm Crawling" that theory can give, and tests of its claims.

Not here: Figs. 1 to 3, which show hardware and diagrams. crawler_models names these figures.
Imported by: none.
"""

from crawler_studies.plots.drawing import PaperFigures
from crawler_studies.three_link.figures.figure_data import FigureData

PAPER_FIGURES = PaperFigures.of(
    __name__,
    FigureData.of,
    {
        "4": "frequency:draw_fig04",
        "5": "frequency:draw_fig05",
        "6": "phase:draw_fig06",
        "7": "frequency:draw_fig07",
        "8": "phase:draw_fig08",
        "9": "frequency:draw_fig09",
        "10": "time_scaling:draw_fig10",
        "11": "masses:draw_fig11",
        "12": "masses:draw_fig12",
        "13": "feedback:draw_fig13",
        "14": "feedback:draw_fig14",
        "friction": "friction:draw_friction",
        "experiments": "experiments:draw_experiments",
        "gaits": "gaits:make_gaits",
        "feedback": "feedback:draw_feedback",
        "servos": "servos:make_servos",
        "servo frequencies": "servos:make_servo_frequencies",
    },
)
