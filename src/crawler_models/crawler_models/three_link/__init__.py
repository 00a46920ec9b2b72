"""The three-link crawling robot of Gamus, Gat and Or, "Dynamic Inchworm Crawling"."""

from crawler_models.three_link.crawl import Crawl, crawl
from crawler_models.three_link.robot import ThreeLink

__all__ = ["Crawl", "ThreeLink", "crawl"]
