"""Measures a gait from samples: footfall, the nearest classical gait, the heading and the path over the ground.

Not here: gaits (gait_generators), the log of a run (crawler_nodes.run_log), reports (crawler_studies.gait_analysis).
Imported by: crawler_cli.driving, crawler_models, crawler_nodes, crawler_studies, crawler_view, gait_generators,
sim_bridge.
"""
