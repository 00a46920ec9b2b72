"""The interfaces between a robot's equations and the rest of the stack: model, plant, batch and lookup table.

Not here: the robots (the folders with their names), their registry (crawler_models.model_registry).
Imported by: crawler_models, crawler_cli, crawler_studies, hw_drivers, sim_bridge.
"""
