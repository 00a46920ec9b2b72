"""Defines the case that a study varies, its identity, and the file that stores its evaluations.

Not here: the evaluation of points (crawler_studies.evaluators).
Imported by: crawler_studies, crawler_cli.commands, crawler_testing.
"""
