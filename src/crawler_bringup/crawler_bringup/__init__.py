"""Describes, starts and records the nodes of a run, and shows a robot without a backend.

Not here: the nodes of the control loop (crawler_nodes, gait_generators, hybrid_controller), commands (crawler_cli).
Imported by: crawler_cli, crawler_testing.
"""
