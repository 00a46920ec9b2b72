"""The miniature quadruped of Askari and Özcan, "Dynamic Modeling and Gait Analysis for Miniature Robots"."""

from crawler_models.miniaq.equations.quadruped import LEGS, Quadruped

__all__ = ["LEGS", "Quadruped"]
