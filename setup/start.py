"""What ./crawler starts: everything is in the package bootstrap beside this file."""

import signal

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until somebody can end quietly

from bootstrap.main import main  # noqa: E402

if __name__ == "__main__":
    main()
