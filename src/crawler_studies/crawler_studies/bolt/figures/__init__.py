"""Draws and lists the figures of "An Articulated Closed Kinematic Chain Planar Robotic Leg ...", and its loads.

Not here: Figs. 1 to 3, 6 to 9, 15 and 17, which are diagrams and photographs. crawler_models names these figures.
Imported by: none.
"""

from crawler_studies.bolt.figures.figure_data import FigureData
from crawler_studies.plots.drawing import PaperFigures

PAPER_FIGURES = PaperFigures.of(
    __name__,
    FigureData,
    {
        "4": "leg_paths:draw_fig04",
        "5": "leg_paths:draw_fig05",
        "10": "run:draw_fig10",
        "11": "run:draw_fig11",
        "12": "run:draw_fig12",
        "13": "run:draw_fig13",
        "14": "run:draw_fig14",
        "16": "run:draw_fig16",
        "table2": "table2:make_table2",
        "friction": "run_loads:draw_friction",
        "floor": "run_loads:draw_floor",
    },
)
