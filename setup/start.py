"""Start the package bootstrap beside this file; ./crawler runs this script."""

import signal

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until a handler can end quietly

from bootstrap.main import main  # noqa: E402

if __name__ == "__main__":
    main()
