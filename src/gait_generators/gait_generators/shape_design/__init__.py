"""The search for shapes of the Fourier gait that crawl far: `design` is its front door."""

from gait_generators.shape_design.designer import Progress, design
from gait_generators.shape_design.limits import Limits

__all__ = ["Limits", "Progress", "design"]
