"""Searches the bars of section 3 whose foot follows an ideal path, by differential evolution.

Not here: the kinematics of the leg (crawler_models.bolt.equations). crawler_models names this search.
Imported by: crawler_studies.bolt.figures.
"""
