"""What "Inchworm locomotion gait for snakelike robot" draws and lists, and what physics makes of it.

Figs. 2 and 5 are a diagram and a photograph.
"""

from collections.abc import Callable

from crawler_core.robot import RobotSpec
from crawler_core.table import Table
from crawler_studies.plots.drawing import Figures, Page
from crawler_studies.snake.figures.figure_data import Lab


def make_lab(spec: RobotSpec) -> Lab:
    """What the figures are made from."""
    return Lab(spec)


DRAWINGS: Table[Callable[[Lab], Page]] = Table(
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
FIGURES = Figures(make_lab, DRAWINGS)
