"""Implements ideal servos without physics, with simulated faults.

Not here: emulated motors behind real drivers (hw_drivers).
Imported by: crawler_testing.
"""
