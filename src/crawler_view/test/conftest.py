"""What the tests share."""

from crawler_nodes.fixtures import crawler, graph

__all__ = ["crawler", "graph"]
