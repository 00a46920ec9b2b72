"""Equations of the three-link robot: closed chain, contact modes, dynamics.

Not here: their integration over time (crawler_models.three_link.simulation).
Imported by: crawler_models.three_link, crawler_studies, crawler_testing, hybrid_controller.
"""
