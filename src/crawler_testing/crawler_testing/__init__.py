"""Test tools that the command line starts: fault injection, fuzzing, soak runs and benchmarks.

Not here: the user's commands (crawler_cli), the packages' own tests (test/ of each package, tests/).
Imported by: none.
"""
