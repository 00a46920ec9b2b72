"""Fixtures of the tests."""

from crawler_nodes.testing.fixtures import crawler, graph

__all__ = ["crawler", "graph"]
