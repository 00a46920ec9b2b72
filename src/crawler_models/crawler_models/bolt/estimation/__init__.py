"""Estimates the base of the running leg: kinematics of the leg in stance, a throw in flight.

Not here: the estimators of any robot (crawler_models.estimation), the running law (hybrid_controller.laws).
Imported by: none.
"""
