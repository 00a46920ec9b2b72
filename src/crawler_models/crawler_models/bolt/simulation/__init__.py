"""Runs of BOLT under its law (20): hybrid, sampled, their return map and limits.

Not here: the compiled loops (crawler_models.bolt.compiled), the law as a controller (hybrid_controller.laws).
Imported by: crawler_models.bolt, crawler_studies, crawler_testing, hybrid_controller.
"""
