"""Draws a robot's motion as a film, without a screen.

Not here: frames from a recording and the command `film` (crawler_cli).
Imported by: crawler_cli.
"""
