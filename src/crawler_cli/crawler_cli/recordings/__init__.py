"""Use of recordings by the command line: repeat a run, replay it, film it, check it.

Not here: writing them (crawler_bringup.recorder), reading them (crawler_studies.recordings).
Imported by: crawler_cli.commands, crawler_testing.file_fuzz.
"""
