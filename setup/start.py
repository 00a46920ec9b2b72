"""Start the package bootstrap beside this file; ./crawler runs this script."""

import signal

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until a handler can end quietly

import os  # noqa: E402
import sys  # noqa: E402


def stop_at_once() -> None:
    """End here with `steer estop`, where stacks on this machine answer: it must not wait for checks or imports."""
    if sys.argv[1:3] == ["steer", "estop"]:
        source = f"{os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}/src"
        sys.path += [f"{source}/crawler_cli", f"{source}/crawler_nodes"]
        from crawler_cli.local_estop import stop_at_once as stop_local_stacks

        code = stop_local_stacks(sys.argv[1:], os.environ.get("ROS_DOMAIN_ID", ""))
        if code is not None:
            sys.exit(code)


if __name__ == "__main__":
    stop_at_once()
    from bootstrap.main import main

    main()
