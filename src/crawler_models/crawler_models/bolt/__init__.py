"""The one-motor six-bar running leg of Liu and Ben-Tzvi, "An Articulated Closed Kinematic Chain Planar Robotic Leg".

Not here: the search for a better mechanism (crawler_studies.bolt), the law as a controller (hybrid_controller).
Imported by: crawler_studies, crawler_testing, hybrid_controller.
"""

from crawler_models.bolt.equations.leg import Leg

__all__ = ["Leg"]
