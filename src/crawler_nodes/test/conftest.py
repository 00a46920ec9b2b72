"""What the tests share, and how hypothesis looks for examples."""

from hypothesis import settings

from crawler_nodes.testing.fixtures import crawler, default_hangup, graph

__all__ = ["crawler", "default_hangup", "graph"]

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
