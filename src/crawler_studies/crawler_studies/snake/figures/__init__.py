"""What "Inchworm locomotion gait for snakelike robot" draws and lists, and what physics makes of it.

Figs. 1, 2 and 5 are diagrams and a photograph.
"""

from collections.abc import Callable, Mapping

from crawler_core.robot import RobotSpec
from crawler_studies.figures import Drawing, Figures
from crawler_studies.snake.figures import fig03, fig04, slip, table1, table2
from crawler_studies.snake.figures.lab import Lab


def make_lab(spec: RobotSpec) -> Lab:
    """What the figures are made from."""
    return Lab(spec)


DRAWINGS: Mapping[str, Callable[[Lab], Drawing]] = {
    "3": fig03.make,
    "4": fig04.make,
    "table1": table1.make,
    "table2": table2.make,
    "slip": slip.make,
}
FIGURES = Figures(make_lab, DRAWINGS)
