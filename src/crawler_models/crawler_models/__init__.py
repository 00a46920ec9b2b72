"""The papers' equations: dynamics and kinematics, free of ROS."""
