"""Estimates contacts and base of the three-link robot by its stick-slip equations, run along the measured joints.

Not here: the estimators of any robot (crawler_models.estimation), the law that uses contacts (hybrid_controller.laws).
Imported by: hybrid_controller.
"""
