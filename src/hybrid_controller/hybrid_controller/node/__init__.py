"""Runs the controller as a ROS node: states, references, lockstep, commands and diagnostics.

Not here: the controller itself (hybrid_controller.controller), control laws (hybrid_controller.laws).
Imported by: crawler_bringup, crawler_testing.
"""
