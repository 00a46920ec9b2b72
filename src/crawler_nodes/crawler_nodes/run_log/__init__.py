"""Logs a run in bounded memory, and measures its strides.

Not here: recordings on disk (crawler_bringup.recorder, crawler_studies.recordings), plots (crawler_cli.plots).
Imported by: crawler_cli, crawler_nodes.client, crawler_studies, crawler_testing, crawler_view.
"""
