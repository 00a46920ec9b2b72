"""What the tests share, and how hypothesis looks for examples."""

from hypothesis import settings

from crawler_nodes.testing.fixtures import crawler, graph

__all__ = ["crawler", "graph"]

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
