"""Draws and lists the figures of "Inchworm locomotion gait for snakelike robot", and physics beside them.

Not here: Figs. 2 and 5, which are a diagram and a photograph. crawler_models names these figures.
Imported by: none.
"""

from crawler_studies.plots.drawing import PaperFigures
from crawler_studies.snake.figures.figure_data import FigureData

PAPER_FIGURES = PaperFigures.of(
    __name__,
    FigureData,
    {
        "1": "waves:draw_fig01",
        "3": "waves:draw_fig03",
        "4": "waves:draw_fig04",
        "table1": "tables:make_table1",
        "table2": "tables:make_table2",
        "rates": "tables:make_rates",
        "links": "tables:make_links",
        "slip": "slip:draw_slip",
    },
)
