"""Drives ODrive motor controllers with CANSimple (firmware 0.6), and emulates them.

Not here: the CAN interface (hw_drivers.ports).
Imported by: crawler_testing.bench.
"""
