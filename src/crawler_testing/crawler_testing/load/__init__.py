"""Runs beside busy loops, each compared with the idle run of the same robot on the same backend.

Not here: faults (crawler_testing.faults), long runs (crawler_testing.soak).
Imported by: crawler_testing.commands.
"""
