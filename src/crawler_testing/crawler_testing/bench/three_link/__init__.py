"""Benchmarks of the three-link equations, of physics engines and of Python on that robot, and of the optimiser.

Not here: the equations (crawler_models.three_link), the optimiser (crawler_studies.tuning).
Imported by: none.
"""
