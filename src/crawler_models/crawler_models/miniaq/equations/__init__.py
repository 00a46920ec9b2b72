"""Equations of MinIAQ: its numbers, the four-bar leg, ground contact and rigid-body dynamics.

Not here: compiled equations (crawler_models.miniaq.compiled), walks (crawler_models.miniaq.walks).
Imported by: crawler_models.miniaq, crawler_studies.
"""
