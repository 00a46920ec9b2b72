"""Runs the real drivers on emulated motors, which move the robot's equations.

Not here: the emulator of each kind of bus (its own folder), simulators without buses (sim_bridge).
Imported by: hw_drivers.board, hw_drivers.dynamixel, hw_drivers.odrive, hw_drivers.pca9685, crawler_cli,
crawler_testing.
"""
