"""Steady crawling for hundreds of thousands of gaits per second; docs/fast_maps.md explains how.

`hybrid` and `crawl` remain the reference, and the fallback for what is not smooth enough to be tabulated.
"""

from crawler_models.compilation import keep_compiled_code

keep_compiled_code()  # before anything is compiled

from crawler_models.three_link.fast.gait_map import GaitMap, Outcome, ShapeTable  # noqa: E402

__all__ = ["GaitMap", "Outcome", "ShapeTable"]
