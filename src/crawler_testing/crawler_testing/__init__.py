"""Test tools of the command line: fault injection, fuzzing, soak runs and benchmarks.

Not here: commands for users (crawler_cli), tests of a single package (its test folder), whole-system tests (tests/).
Imported by: none.
"""
