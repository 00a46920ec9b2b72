"""The three-link crawling robot of Gamus, Gat and Or, "Dynamic Inchworm Crawling".

Not here: sweeps and tuning (crawler_studies), laws that run in ticks (hybrid_controller).
Imported by: crawler_studies, crawler_testing, hybrid_controller.
"""

from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.simulation.crawl import Crawl, crawl

__all__ = ["Crawl", "ThreeLink", "crawl"]
