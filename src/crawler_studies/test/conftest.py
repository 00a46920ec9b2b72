"""What the tests share."""

from crawler_nodes.fixtures import crawler

__all__ = ["crawler"]
