"""Defines the control laws of all robots as pure functions, with their parameters and their registry.

Not here: the laws of a single robot (the folders with its name), the laws' equations (crawler_models).
Imported by: hybrid_controller, crawler_bringup, crawler_cli.commands, crawler_cli.run, crawler_studies,
crawler_testing.
"""
