"""Analyses a gait by the contacts of a run: numbers, gait diagrams, and the graph of its contact modes.

Not here: the measures of a footfall (crawler_core.gait_metrics).
Imported by: crawler_studies, crawler_cli.commands, crawler_testing.file_fuzz.
"""
