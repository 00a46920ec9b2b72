"""Studies BOLT: the search for its mechanism, and the figures of its paper.

Not here: its equations (crawler_models.bolt).
Imported by: none.
"""
