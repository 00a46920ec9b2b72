"""Commands `./crawler storm`, `fuzz`, `soak` and `bench`: arguments, help, output and exit code.

Not here: the work itself (crawler_testing.faults, fuzz, soak, bench), other commands (crawler_cli.commands).
Imported by: none.
"""
