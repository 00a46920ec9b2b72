"""Equations of BOLT's leg: lengths and masses, the six-bar in closed form, the paper's matrices.

Not here: compiled equations and runs (crawler_models.bolt.compiled, crawler_models.bolt.simulation).
Imported by: crawler_models.bolt, crawler_studies, crawler_testing, hybrid_controller.
"""
