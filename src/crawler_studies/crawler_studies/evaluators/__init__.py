"""Evaluates the steady crawl at the points of a study: by equations, by physics, or on a running stack.

Not here: whole runs tick by tick (crawler_studies.simulation), searches (crawler_studies.tuning).
Imported by: crawler_studies, crawler_cli.commands, crawler_testing.
"""
