"""Parsers, shared arguments, exit codes, signals, and printed output of all commands.

Not here: the commands themselves (crawler_cli.commands), the live status of a run (crawler_cli.run).
Imported by: crawler_cli, crawler_testing.
"""
