"""The stack description, launch files and the command line."""
