"""Makes the SROS 2 keys of a stack and gives them to its nodes.

Not here: limits on commands that are permitted (crawler_core.safety), access to the live page (crawler_view.server).
Imported by: crawler_bringup.launch, crawler_bringup.stack, crawler_cli.
"""
