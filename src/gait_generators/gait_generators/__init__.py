"""Generates the gaits' reference motions, and publishes them.

Not here: following the reference (hybrid_controller), the smooth rules of braking and approaching
(crawler_core.safety).
Imported by: crawler_bringup, crawler_cli, crawler_studies, crawler_testing.
"""
