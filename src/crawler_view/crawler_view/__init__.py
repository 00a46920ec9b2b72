"""Shows a robot: live in a browser, as markers in RViz, and as a film.

Not here: pictures of a run (crawler_cli), plots of studies (crawler_studies), RViz configurations
(crawler_description).
Imported by: crawler_bringup, crawler_cli, crawler_testing.
"""
