"""Fuzzing of files: corrupted recordings, robot files, parameter files and study files for the commands that read them.

Not here: messages for running nodes (crawler_testing.fuzz).
Imported by: crawler_testing.commands.
"""
