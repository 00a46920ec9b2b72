"""What "An Articulated Closed Kinematic Chain Planar Robotic Leg ..." draws and lists, and what its run asks for.

Figs. 1 to 3, 6 to 9, 15 and 17 are diagrams and photographs.
"""

from collections.abc import Callable

from crawler_core.registry import LazyRegistry
from crawler_core.robot.robot_spec import RobotSpec
from crawler_studies.bolt.figures.figure_data import FigureData
from crawler_studies.plots.drawing import Page, PaperFigures


def make_data(spec: RobotSpec) -> FigureData:
    """What the figures are made from."""
    return FigureData(spec)


DRAWINGS: LazyRegistry[Callable[[FigureData], Page]] = LazyRegistry(
    "figure",
    {
        "4": "crawler_studies.bolt.figures.fig04:make",
        "5": "crawler_studies.bolt.figures.fig05:make",
        "10": "crawler_studies.bolt.figures.fig10:make",
        "11": "crawler_studies.bolt.figures.fig11:make",
        "12": "crawler_studies.bolt.figures.fig12:make",
        "13": "crawler_studies.bolt.figures.fig13:make",
        "14": "crawler_studies.bolt.figures.fig14:make",
        "16": "crawler_studies.bolt.figures.fig16:make",
        "table2": "crawler_studies.bolt.figures.table2:make",
        "friction": "crawler_studies.bolt.figures.friction:make",
        "floor": "crawler_studies.bolt.figures.floor:make",
    },
)
FIGURES = PaperFigures(make_data, DRAWINGS)
