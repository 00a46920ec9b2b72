"""The figures of "Dynamic Inchworm Crawling" that theory can give; Figs. 1 to 3 show hardware and diagrams."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import partial

from crawler_core.robot import RobotSpec
from crawler_models.three_link import ThreeLink
from crawler_studies.figures import Drawing, Figures
from crawler_studies.three_link.figures.lab import Lab

NUMBERS = tuple(range(4, 15))


def make(number: int, lab: Lab) -> Drawing:
    """Compute one figure."""
    return importlib.import_module(f"crawler_studies.three_link.figures.fig{number:02d}").make(lab)


def make_lab(spec: RobotSpec) -> Lab:
    """What the figures are made from."""
    return Lab(ThreeLink.from_parameters(spec.parameters))


DRAWINGS: Mapping[str, Callable[[Lab], Drawing]] = {str(number): partial(make, number) for number in NUMBERS}
FIGURES = Figures(make_lab, DRAWINGS)
