"""Opens serial, CAN and I2C ports for one program at a time, and emulates them.

Not here: packets and frames of the devices (codec and messages in the folder of each kind of bus).
Imported by: hw_drivers.board, hw_drivers.dynamixel, hw_drivers.odrive, hw_drivers.pca9685, hw_drivers.emulation,
hw_drivers.sensors, crawler_cli, crawler_testing.
"""
