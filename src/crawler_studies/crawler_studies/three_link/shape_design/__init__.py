"""Searches shapes of the Fourier gait that crawl far; `design` is its entry point.

Not here: the files of shapes (gait_generators.shapes), the command's search (crawler_studies.three_link).
Imported by: crawler_studies.three_link, crawler_studies.three_link.figures.
"""

from crawler_studies.three_link.shape_design.designer import Progress, design
from crawler_studies.three_link.shape_design.task import Limits

__all__ = ["Limits", "Progress", "design"]
