"""Calls and monitors a running stack from another process.

Not here: the services themselves (crawler_nodes.backend_node), the log that a monitor fills (crawler_nodes.run_log).
Imported by: crawler_cli, crawler_nodes.testing, crawler_studies, crawler_testing, crawler_view.
"""
