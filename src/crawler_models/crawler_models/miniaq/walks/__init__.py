"""Walks of MinIAQ with cranks of constant speed: standing, walking, and the steady walk.

Not here: the compiled integration (crawler_models.miniaq.compiled), gaits (gait_generators).
Imported by: crawler_models.miniaq, crawler_studies, crawler_testing.
"""
