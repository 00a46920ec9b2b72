"""Scans buses, finds zeros, takes torque off and moves joints slowly, without ROS.

Not here: the command `crawler hw` (crawler_cli.hardware), calibration files (hw_drivers.backend).
Imported by: crawler_cli.
"""
