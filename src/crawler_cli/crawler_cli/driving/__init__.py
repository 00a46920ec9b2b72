"""Reads keys and gamepads, and drives a running stack by them.

Not here: the arguments of the command (crawler_cli.commands.drive), what a robot does with cmd_vel (gait_generators).
Imported by: crawler_cli.commands.
"""
