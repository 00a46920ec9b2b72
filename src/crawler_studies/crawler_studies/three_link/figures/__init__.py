"""The figures of "Dynamic Inchworm Crawling" that theory can give, and what tests its claims.

Figs. 1 to 3 show hardware and diagrams.
"""

from collections.abc import Callable

from crawler_core.registry import LazyRegistry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.three_link import ThreeLink
from crawler_studies.plots.drawing import Page, PaperFigures
from crawler_studies.three_link.figures.figure_data import FigureData


def make_data(spec: RobotSpec) -> FigureData:
    """What the figures are made from."""
    return FigureData(ThreeLink.from_parameters(spec.parameters))


DRAWINGS: LazyRegistry[Callable[[FigureData], Page]] = LazyRegistry(
    "figure",
    {
        "4": "crawler_studies.three_link.figures.fig04:make",
        "5": "crawler_studies.three_link.figures.fig05:make",
        "6": "crawler_studies.three_link.figures.fig06:make",
        "7": "crawler_studies.three_link.figures.fig07:make",
        "8": "crawler_studies.three_link.figures.fig08:make",
        "9": "crawler_studies.three_link.figures.fig09:make",
        "10": "crawler_studies.three_link.figures.fig10:make",
        "11": "crawler_studies.three_link.figures.fig11:make",
        "12": "crawler_studies.three_link.figures.fig12:make",
        "13": "crawler_studies.three_link.figures.fig13:make",
        "14": "crawler_studies.three_link.figures.fig14:make",
        "friction": "crawler_studies.three_link.figures.friction:make",
        "experiments": "crawler_studies.three_link.figures.experiments:make",
        "gaits": "crawler_studies.three_link.figures.gaits:make",
        "feedback": "crawler_studies.three_link.figures.feedback:make",
    },
)
FIGURES = PaperFigures(make_data, DRAWINGS)
