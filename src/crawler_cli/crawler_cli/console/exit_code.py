"""Exit codes of every command."""

EXIT_NOT_DONE = 1  # the command could not do what was asked
EXIT_USAGE = 2  # the input cannot be used
EXIT_INTERRUPTED = 130  # Ctrl-C
