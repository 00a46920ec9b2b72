"""Fuzzing: random and corrupted messages for every endpoint of a stack in one process.

Not here: forged messages with a meaning (crawler_testing.faults.families).
Imported by: crawler_testing.commands, crawler_testing.file_fuzz.
"""
