"""Walks of MinIAQ with cranks of constant speed: standing, walking, and the steady walk.

Not here: the compiled integration (crawler_models.miniaq.fast), gaits (gait_generators).
Imported by: TODO.
"""
