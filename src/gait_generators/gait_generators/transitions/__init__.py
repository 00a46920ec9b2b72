"""Joins gaits into one smooth motion on a grid of times.

Not here: the gaits themselves (gait_generators.kinds), the approach of setpoints to commands (crawler_core.safety).
Imported by: gait_generators.node, crawler_studies, crawler_testing.
"""
