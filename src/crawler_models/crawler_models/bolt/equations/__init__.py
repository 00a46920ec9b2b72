"""Equations of BOLT's leg: lengths and masses, the six-bar in closed form, the paper's matrices.

Not here: compiled equations and runs (crawler_models.bolt.fast, crawler_models.bolt.runs).
Imported by: TODO.
"""
