"""One module per command: its help, its arguments, and `run`.

Not here: arguments that commands share (crawler_cli.console), studies (crawler_studies).
Imported by: crawler_testing.file_fuzz.
"""
