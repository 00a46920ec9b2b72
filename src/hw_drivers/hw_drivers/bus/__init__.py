"""Defines a motor bus: the driver's contract, its thread, and the checks and timeouts that all kinds share.

Not here: the drivers themselves (hw_drivers.dynamixel, hw_drivers.odrive, hw_drivers.pca9685, hw_drivers.board), the
ports (hw_drivers.ports).
Imported by: hw_drivers, crawler_cli, crawler_testing.
"""
