"""What the tests share."""

from crawler_nodes.testing.fixtures import crawler, graph

__all__ = ["crawler", "graph"]
