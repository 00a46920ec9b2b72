"""Defines the interface of a design search, and the evolution strategy that searches use.

Not here: the searches themselves (the design room of each robot).
Imported by: crawler_studies, crawler_cli.commands.
"""
