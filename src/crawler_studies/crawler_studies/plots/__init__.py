"""Draws figures and tables with their data files, the labelled view of a robot, and maps with a sign.

Not here: the figures of a paper (the room figures of its robot), plots of runs (crawler_cli.plots).
Imported by: crawler_studies, crawler_cli.commands, crawler_testing.
"""
