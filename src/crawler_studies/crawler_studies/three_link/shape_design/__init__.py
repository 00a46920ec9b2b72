"""Searches for shapes of the Fourier gait that crawl far; `design` is its entry point."""

from crawler_studies.three_link.shape_design.designer import Progress, design
from crawler_studies.three_link.shape_design.task import Limits

__all__ = ["Limits", "Progress", "design"]
