"""Benchmarks of BOLT's equations.

Not here: the equations (crawler_models.bolt).
Imported by: none.
"""
