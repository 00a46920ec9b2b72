"""The figures of "Dynamic Inchworm Crawling" that theory can give; Figs. 1 to 3 show hardware and diagrams."""

from __future__ import annotations

import importlib

from crawler_studies.figures.drawing import Drawing
from crawler_studies.figures.three_link.lab import Lab

NUMBERS = tuple(range(4, 15))


def make(number: int, lab: Lab) -> Drawing:
    """Compute one figure."""
    return importlib.import_module(f"crawler_studies.figures.three_link.fig{number:02d}").make(lab)
