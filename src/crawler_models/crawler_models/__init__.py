"""The papers' equations: dynamics, kinematics and predictions of each robot, free of ROS.

Not here: gaits (gait_generators), the ticks of the model backend (sim_bridge), the papers' figures (crawler_studies).
Imported by: crawler_bringup, crawler_cli, crawler_nodes.backend_node, crawler_studies, crawler_testing,
gait_generators, hw_drivers, hybrid_controller, sim_bridge.
"""
