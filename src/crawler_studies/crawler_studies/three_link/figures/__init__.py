"""The figures of "Dynamic Inchworm Crawling" that theory can give, and what tests its claims.

Figs. 1 to 3 show hardware and diagrams.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import partial

from crawler_core.robot import RobotSpec
from crawler_models.three_link import ThreeLink
from crawler_studies.figures import Figures, Page
from crawler_studies.three_link.figures.lab import Lab

MODULES = {
    **{str(number): f"fig{number:02d}" for number in range(4, 15)},
    **{name: name for name in ("friction", "experiments", "gaits", "feedback")},
}


def make(name: str, lab: Lab) -> Page:
    """Compute one figure or table."""
    page: Page = importlib.import_module(f"crawler_studies.three_link.figures.{MODULES[name]}").make(lab)
    return page


def make_lab(spec: RobotSpec) -> Lab:
    """What the figures are made from."""
    return Lab(ThreeLink.from_parameters(spec.parameters))


DRAWINGS: Mapping[str, Callable[[Lab], Page]] = {name: partial(make, name) for name in MODULES}
FIGURES = Figures(make_lab, DRAWINGS)
