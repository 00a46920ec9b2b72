"""Commands `./crawler storm`, `fuzz`, `soak`, `load` and `bench`: arguments, help, output and exit code.

Not here: the work itself (crawler_testing.faults, fuzz, soak, load, bench), other commands (crawler_cli.commands).
Imported by: none.
"""
