"""Drives motors behind a microcontroller on a serial line (docs/board_protocol.md), and emulates the board.

Not here: the serial port (hw_drivers.ports), the firmware in C++ (the folder firmware of this package).
Imported by: crawler_testing.
"""
