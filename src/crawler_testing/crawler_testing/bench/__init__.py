"""Benchmarks of the control loop, the live page, motor buses and boards, each beside what limits it.

Not here: the table and its keys (crawler_testing.commands.bench).
Imported by: crawler_testing.
"""
