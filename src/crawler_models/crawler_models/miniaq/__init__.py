"""The miniature quadruped of Askari and Özcan, "Dynamic Modeling and Gait Analysis for Miniature Robots".

Not here: gaits (gait_generators), the search for better gaits and bodies (crawler_studies.miniaq).
Imported by: crawler_studies, crawler_testing.
"""

from crawler_models.miniaq.equations.quadruped import LEG_NAMES, Quadruped

__all__ = ["LEG_NAMES", "Quadruped"]
