"""Draws figures and tables with their data files, the labelled view of a robot, and maps with a sign.

Not here: the figures of a paper (the room figures of its robot), plots of runs (crawler_cli.plots).
Imported by: crawler_studies.bolt.design, crawler_studies.bolt.figures, crawler_studies.design,
crawler_studies.gait_analysis, crawler_studies.miniaq.design, crawler_studies.miniaq.figures,
crawler_studies.snake.figures, crawler_studies.sweep, crawler_studies.three_link.figures, crawler_studies.tuning,
crawler_cli, crawler_testing.
"""
