"""Fault injection: kinds of fault, campaigns of runs, and the check of every outcome.

Not here: the run under test and its monitor (crawler_testing.fixtures), invalid messages at random
(crawler_testing.fuzz).
Imported by: crawler_testing.commands, crawler_testing.faults.families, crawler_testing.fuzz.
"""
