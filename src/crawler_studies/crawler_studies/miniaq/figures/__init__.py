"""What "Dynamic Modeling and Gait Analysis for Miniature Robots ..." draws of its simulation, and two figures more.

Figs. 1 to 4 are photographs and diagrams.
"""

from collections.abc import Callable

from crawler_core.registry import LazyRegistry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_studies.miniaq.figures.figure_data import FigureData
from crawler_studies.plots.drawing import Page, PaperFigures


def make_data(spec: RobotSpec) -> FigureData:
    """What the figures are made from."""
    return FigureData(spec)


DRAWINGS: LazyRegistry[Callable[[FigureData], Page]] = LazyRegistry(
    "figure",
    {
        "5": "crawler_studies.miniaq.figures.fig05:make",
        "6": "crawler_studies.miniaq.figures.fig06:make",
        "7": "crawler_studies.miniaq.figures.fig07:make",
        "8": "crawler_studies.miniaq.figures.fig08:make",
        "9": "crawler_studies.miniaq.figures.fig09:make",
        "phase": "crawler_studies.miniaq.figures.phase:make",
    },
)
FIGURES = PaperFigures(make_data, DRAWINGS)
