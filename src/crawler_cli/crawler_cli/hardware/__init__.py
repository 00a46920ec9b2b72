"""The actions of `crawler hw` on real and emulated motors.

Not here: drivers and emulators (hw_drivers), arguments of the command (crawler_cli.commands.hw).
Imported by: crawler_cli.commands.
"""
