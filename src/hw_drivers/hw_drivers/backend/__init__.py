"""Joins a robot's buses to one backend: robot file, calibration, limits of speed, implausible values, and the node.

Not here: limits of joints (crawler_core.safety), the threads of the buses (hw_drivers.bus), emulated motors
(hw_drivers.emulation).
Imported by: hw_drivers.emulation, hw_drivers.tools, crawler_cli, crawler_testing.file_fuzz.
"""
