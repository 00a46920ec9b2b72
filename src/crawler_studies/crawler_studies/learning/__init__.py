"""Makes Gymnasium environments of robots in simulated time.

Not here: the robots (crawler_studies.simulation), searches over gaits (crawler_studies.tuning).
Imported by: crawler_studies, crawler_testing.
"""
