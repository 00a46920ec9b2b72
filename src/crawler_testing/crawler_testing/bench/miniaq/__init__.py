"""Benchmarks of MinIAQ's equations.

Not here: the equations (crawler_models.miniaq).
Imported by: none.
"""
