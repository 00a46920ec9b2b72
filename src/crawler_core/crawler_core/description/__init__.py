"""Makes the URDF of a robot from its xacro, and reads the link frames in it.

Not here: robot.yaml (crawler_core.robot), the xacro files (crawler_description), drawing (crawler_view).
Imported by: crawler_bringup, crawler_core.linkages, crawler_core.sensors, crawler_models.estimation, crawler_nodes,
crawler_studies, crawler_testing.file_fuzz, crawler_view, sim_bridge.
"""
