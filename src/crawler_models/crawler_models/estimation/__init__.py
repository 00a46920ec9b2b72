"""Estimates a robot's base from what it measures: registry, kinematics of the feet, attitude, fusion of external poses.

Not here: estimators of one robot (crawler_models.<robot>.estimation), contacts in a law (hybrid_controller.laws).
Imported by: crawler_models, crawler_bringup.stack, crawler_nodes.backend_node, crawler_studies, hybrid_controller.
"""
