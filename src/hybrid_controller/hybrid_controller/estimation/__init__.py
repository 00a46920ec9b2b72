"""Estimates foot events, shaft speeds and past odometry from measurements.

Not here: the laws that use them (hybrid_controller.laws), contacts computed by simulations (sim_bridge).
Imported by: hybrid_controller, crawler_studies.simulation.
"""
