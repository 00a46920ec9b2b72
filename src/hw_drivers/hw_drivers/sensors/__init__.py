"""Sensors of a robot beside its motors: where each is read, and the drivers of those that no bus reads.

Not here: a board's own sensors (hw_drivers.board), sensors as the robot file declares them (crawler_core.sensors).
Imported by: hw_drivers.backend, hw_drivers.board, hw_drivers.bus, hw_drivers.emulation, hw_drivers.tools,
crawler_cli.
"""
