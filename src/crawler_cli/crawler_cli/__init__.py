"""The command line `crawler`: a module for each command, and the parts that they share.

Not here: test tools and their commands (crawler_testing), set-up and tests of the checkout (setup/bootstrap).
Imported by: crawler_testing.
"""
