"""Defines the case that a study varies, its identity, and the file that stores its evaluations.

Not here: the evaluation of points (crawler_studies.evaluators).
Imported by: crawler_studies.bolt.design, crawler_studies.bolt.figures, crawler_studies.design,
crawler_studies.evaluators, crawler_studies.gait_analysis, crawler_studies.miniaq.design, crawler_studies.simulation,
crawler_studies.snake.figures, crawler_studies.sweep, crawler_studies.three_link, crawler_studies.tuning, crawler_cli,
crawler_testing.
"""
