"""The three-link crawling robot of Gamus, Gat and Or, "Dynamic Inchworm Crawling"."""

from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.simulation.crawl import Crawl, crawl

__all__ = ["Crawl", "ThreeLink", "crawl"]
