"""Runs a gait as a ROS node: the reference, cmd_vel, parameter changes and diagnostics.

Not here: the gaits and their transitions (gait_generators.kinds, gait_generators.transitions).
Imported by: crawler_bringup, crawler_testing.
"""
