"""Drives Dynamixel servos of the X series with protocol 2.0, and emulates them.

Not here: the serial port (hw_drivers.ports).
Imported by: crawler_testing.
"""
