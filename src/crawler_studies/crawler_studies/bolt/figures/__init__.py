"""What "An Articulated Closed Kinematic Chain Planar Robotic Leg ..." draws and lists, and what its run asks for.

Figs. 1 to 3, 6 to 9, 15 and 17 are diagrams and photographs.
"""

from collections.abc import Callable, Mapping

from crawler_core.robot import RobotSpec
from crawler_studies.bolt.figures import fig04, fig05, fig10, fig11, fig12, fig13, fig14, fig16, floor, friction, table2
from crawler_studies.bolt.figures.lab import Lab
from crawler_studies.figures import Figures, Page


def make_lab(spec: RobotSpec) -> Lab:
    """What the figures are made from."""
    return Lab(spec)


DRAWINGS: Mapping[str, Callable[[Lab], Page]] = {
    "4": fig04.make,
    "5": fig05.make,
    "10": fig10.make,
    "11": fig11.make,
    "12": fig12.make,
    "13": fig13.make,
    "14": fig14.make,
    "16": fig16.make,
    "table2": table2.make,
    "friction": friction.make,
    "floor": floor.make,
}
FIGURES = Figures(make_lab, DRAWINGS)
