"""The search for shapes of the Fourier gait that crawl far: `design` is its front door."""

from crawler_studies.three_link.shape_design.designer import Progress, design
from crawler_studies.three_link.shape_design.limits import Limits

__all__ = ["Limits", "Progress", "design"]
