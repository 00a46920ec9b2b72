"""Sets up what a machine lacks to run the crawler stack, with the standard library only: it runs before all else.

Not here: the commands (crawler_cli), what is installed (requirements/).
Imported by: none.
"""
