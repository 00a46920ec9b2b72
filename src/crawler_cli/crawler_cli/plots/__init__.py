"""Pictures of runs and of comparisons between backends.

Not here: figures of papers and studies (crawler_studies), films (crawler_view.film).
Imported by: crawler_cli.commands, crawler_testing.
"""
