"""The papers' equations: dynamics, kinematics and predictions of each robot, free of ROS.

Not here: gaits (gait_generators), the ticks of the model backend (sim_bridge), the papers' figures (crawler_studies).
Imported by: TODO.
"""
