"""The one-motor six-bar running leg of Liu and Ben-Tzvi, "An Articulated Closed Kinematic Chain Planar Robotic Leg"."""

from crawler_models.bolt.equations.leg import Leg

__all__ = ["Leg"]
