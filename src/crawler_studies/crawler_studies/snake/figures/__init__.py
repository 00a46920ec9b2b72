"""What "Inchworm locomotion gait for snakelike robot" draws and lists, and what physics makes of it.

Figs. 2 and 5 are a diagram and a photograph.
"""

from collections.abc import Callable

from crawler_core.registry import LazyRegistry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_studies.plots.drawing import Page, PaperFigures
from crawler_studies.snake.figures.figure_data import FigureData


def make_data(spec: RobotSpec) -> FigureData:
    """What the figures are made from."""
    return FigureData(spec)


DRAWINGS: LazyRegistry[Callable[[FigureData], Page]] = LazyRegistry(
    "figure",
    {
        "1": "crawler_studies.snake.figures.fig01:make",
        "3": "crawler_studies.snake.figures.fig03:make",
        "4": "crawler_studies.snake.figures.fig04:make",
        "table1": "crawler_studies.snake.figures.table1:make",
        "table2": "crawler_studies.snake.figures.table2:make",
        "rates": "crawler_studies.snake.figures.rates:make",
        "links": "crawler_studies.snake.figures.links:make",
        "slip": "crawler_studies.snake.figures.slip:make",
    },
)
FIGURES = PaperFigures(make_data, DRAWINGS)
