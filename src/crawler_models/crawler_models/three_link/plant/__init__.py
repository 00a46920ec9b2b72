"""The three-link robot as a plant: one control interval after the other.

Not here: the equations (crawler_models.three_link.equations), the backend (sim_bridge).
Imported by: crawler_models.three_link.
"""
