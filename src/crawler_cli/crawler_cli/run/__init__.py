"""One run from the start of its processes to its summary.

Not here: the stack's nodes and parameters (crawler_bringup.stack), pictures (crawler_cli.plots).
Imported by: crawler_cli.commands, crawler_testing.
"""
