"""What "Dynamic Modeling and Gait Analysis for Miniature Robots ..." draws of its simulation, and two figures more.

Figs. 1 to 4 are photographs and diagrams.
"""

from collections.abc import Callable, Mapping

from crawler_core.robot import RobotSpec
from crawler_studies.figures import Figures, Page
from crawler_studies.miniaq.figures import fig05, fig06, fig07, fig08, fig09, phase
from crawler_studies.miniaq.figures.lab import Lab


def make_lab(spec: RobotSpec) -> Lab:
    """What the figures are made from."""
    return Lab(spec)


DRAWINGS: Mapping[str, Callable[[Lab], Page]] = {
    "5": fig05.make,
    "6": fig06.make,
    "7": fig07.make,
    "8": fig08.make,
    "9": fig09.make,
    "phase": phase.make,
}
FIGURES = Figures(make_lab, DRAWINGS)
