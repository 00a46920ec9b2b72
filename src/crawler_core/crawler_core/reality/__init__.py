"""Imperfections of real motors, encoders and buses, for simulations of the whole robot.

Not here: sensors beside the joints (crawler_core.sensors), emulated devices and their bytes (hw_drivers.emulation).
Imported by: crawler_bringup, crawler_cli, crawler_core.loop, crawler_core.robot, crawler_nodes, crawler_studies,
hw_drivers, hybrid_controller.
"""
