"""Steady crawling for hundreds of thousands of gaits per second; docs/fast_maps.md explains how.

Not here: the reference that it is held against (crawler_models.three_link.simulation).
Imported by: crawler_models.three_link, crawler_studies, crawler_testing.
"""

from crawler_models.compilation import keep_compiled_code

keep_compiled_code()  # before anything is compiled

from crawler_models.three_link.compiled.gait_map import GaitMap, Outcome, ShapeTable  # noqa: E402

__all__ = ["GaitMap", "Outcome", "ShapeTable"]
