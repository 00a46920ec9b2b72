"""The interfaces between a robot's equations and the stack: model, plant, batch, lookup table, velocity map.

Not here: the robots (the folders with their names), their registry (crawler_models.model_registry).
Imported by: crawler_models, crawler_cli, crawler_studies, gait_generators, hw_drivers, sim_bridge.
"""
