"""Ends a process in time, torque off first, and detects a parent process that is gone or stopped.

Not here: the cleanup of a node (crawler_nodes.node_main), processes that are started (crawler_cli.run).
Imported by: crawler_bringup, crawler_cli, crawler_nodes.
"""
