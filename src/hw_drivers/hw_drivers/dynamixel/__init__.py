"""Dynamixel servos of the X series, protocol 2.0: driver and emulator."""
