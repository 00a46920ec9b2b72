"""Represents Fourier shapes, and reads them from files and a robot's libraries.

Not here: the gait that follows a shape (gait_generators.kinds), the search for shapes
(crawler_studies).
Imported by: gait_generators.kinds, crawler_studies.
"""
