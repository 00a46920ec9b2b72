"""Studies the three-link robot: virtual experiments, runs on servos that lag, the search for shapes of its gaits.

Not here: its equations (crawler_models.three_link), its figures (crawler_studies.three_link.figures).
Imported by: crawler_studies.three_link.figures.
"""
