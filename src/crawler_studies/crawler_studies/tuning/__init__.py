"""Searches the point with the best gait, for the command line and for the ROS action of the tuner node.

Not here: the choice of the next point (crawler_studies.tuning.optimiser), maps (crawler_studies.sweep).
Imported by: crawler_studies, crawler_cli.commands, crawler_testing.
"""
