"""Shares between all ROS nodes: topics, parameters, diagnostics, and the main of a node.

Not here: gaits (gait_generators), control laws (hybrid_controller), limits and the supervisor (crawler_core.safety),
message definitions (crawler_interfaces).
Imported by: crawler_bringup, crawler_cli, crawler_studies, crawler_testing, crawler_view, gait_generators, hw_drivers,
hybrid_controller, sim_bridge.
"""
