"""The one exception that ends a set-up, carrying a sentence for a person."""

MACHINE = 2  # exit code: this machine lacks something
STEP = 3  # exit code: a step of the set-up failed
INTERRUPTED = 130  # exit code: Ctrl-C or a termination signal


class SetupError(Exception):
    """`message` is printed as it is, and the process ends with `exit_code`."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code
