"""Soak runs: memory, late ticks, missed messages and the recording of a long run.

Not here: short runs with faults (crawler_testing.faults).
Imported by: crawler_testing.commands.
"""
