"""Evaluates every point of a grid of parameters, here or on a cluster, and writes table and plot.

Not here: searches for the best point (crawler_studies.tuning).
Imported by: crawler_cli, crawler_testing.
"""
