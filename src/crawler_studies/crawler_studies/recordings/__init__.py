"""Reads and compares recordings, and extracts footsteps, strides and loads of a run.

Not here: the recorder (crawler_bringup.recorder), pictures and films of recordings (crawler_cli).
Imported by: crawler_studies.evaluators, crawler_studies.gait_analysis, crawler_studies.learning,
crawler_studies.simulation, crawler_cli, crawler_testing.
"""
