"""Implements the feedback law (19) of the three-link crawler.

Not here: the observer of its contacts (hybrid_controller.estimation), its continuous-time simulation
(crawler_models.three_link).
Imported by: none.
"""
