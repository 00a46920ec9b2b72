"""Holds what is shown: shapes from the URDF, poses of the links, and the live state of a stack.

Not here: drawing (crawler_view.film, crawler_view.markers, the JavaScript in page/).
Imported by: crawler_cli, crawler_view.film, crawler_view.markers, crawler_view.server.
"""
