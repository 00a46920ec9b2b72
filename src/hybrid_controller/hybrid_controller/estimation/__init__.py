"""Estimates contacts, foot events and shaft speeds from measurements.

Not here: the laws that use them (hybrid_controller.laws), contacts computed by simulations (sim_bridge).
Imported by: hybrid_controller, hybrid_controller.laws, hybrid_controller.laws.hybrid, hybrid_controller.node,
crawler_studies.
"""
