"""Defines the control laws of all robots as pure functions, with their parameters and their registry.

Not here: the law (19) and its parts (hybrid_controller.laws.hybrid), the laws' equations (crawler_models).
Imported by: hybrid_controller, hybrid_controller.laws.hybrid, hybrid_controller.node, crawler_bringup, crawler_cli,
crawler_studies, crawler_testing.
"""
