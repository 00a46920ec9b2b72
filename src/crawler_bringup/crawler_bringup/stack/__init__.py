"""Turns the user's options into the checked description of the nodes to start.

Not here: starting them (crawler_bringup.launch, crawler_cli.run), permissions (crawler_bringup.security).
Imported by: crawler_bringup.launch, crawler_cli, crawler_testing.
"""
