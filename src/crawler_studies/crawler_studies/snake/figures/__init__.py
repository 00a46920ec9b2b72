"""What "Inchworm locomotion gait for snakelike robot" draws and lists, and what physics makes of it.

Figs. 2 and 5 are a diagram and a photograph.
"""

from collections.abc import Callable, Mapping

from crawler_core.robot import RobotSpec
from crawler_studies.figures import Figures, Page
from crawler_studies.snake.figures import fig01, fig03, fig04, links, rates, slip, table1, table2
from crawler_studies.snake.figures.lab import Lab


def make_lab(spec: RobotSpec) -> Lab:
    """What the figures are made from."""
    return Lab(spec)


DRAWINGS: Mapping[str, Callable[[Lab], Page]] = {
    "1": fig01.make,
    "3": fig03.make,
    "4": fig04.make,
    "table1": table1.make,
    "table2": table2.make,
    "rates": rates.make,
    "links": links.make,
    "slip": slip.make,
}
FIGURES = Figures(make_lab, DRAWINGS)
