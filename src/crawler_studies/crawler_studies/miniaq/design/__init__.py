"""Searches phases, pace and body of a gait that does what it intends, is fast, or is cheap.

Not here: the walk of a gait (crawler_models.miniaq.walks). crawler_models names this search.
Imported by: none.
"""
