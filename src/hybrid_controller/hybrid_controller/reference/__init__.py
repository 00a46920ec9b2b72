"""Interpolates the gait's reference, and ramps setpoints to rest or towards it.

Not here: the rules of the ramp (crawler_core.safety), the generation of the reference (gait_generators).
Imported by: hybrid_controller, crawler_studies.simulation.
"""
