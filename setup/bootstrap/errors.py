"""The exception that ends a set-up, and the exit codes."""

MACHINE = 2  # exit code: this machine lacks something
STEP = 3  # exit code: a step of the set-up failed
INTERRUPTED = 130  # exit code: Ctrl-C or a termination signal


class SetupError(Exception):
    """Ends the process: `message` is printed as it is, `exit_code` is returned."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code
