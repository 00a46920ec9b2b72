"""Drives hobby servos on a PCA9685 PWM board, open loop, and emulates them.

Not here: the I2C bus (hw_drivers.ports).
Imported by: crawler_testing.bench.
"""
