"""Serves the live page, and passes the commands of browsers to the stack.

Not here: the page itself (page/), the state that it shows (crawler_view.scene).
Imported by: crawler_bringup, crawler_cli, crawler_testing.
"""
