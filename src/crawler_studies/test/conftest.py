"""What the tests share."""

from crawler_nodes.testing.fixtures import crawler

__all__ = ["crawler"]
