"""Chooses the next point of a tuning by Bayesian optimisation within trust regions.

Not here: the evaluation of points (crawler_studies.evaluators), the loop of a tuning (crawler_studies.tuning).
Imported by: crawler_studies.tuning, crawler_testing.
"""
