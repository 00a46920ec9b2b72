"""Run setup, test and python, and pass every other command on to crawler_cli."""

import os
import signal
import sys
from pathlib import Path

from bootstrap import environment, plan
from bootstrap.errors import MACHINE, SetupError
from bootstrap.layout import Layout
from bootstrap.ros_install import sourced_ros


def main() -> None:
    root = Path(__file__).resolve().parents[2]
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        _dispatch(root, sys.argv[1:])
    except SetupError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)


def _dispatch(root: Path, arguments: list[str]) -> None:
    command, *options = arguments
    layout = Layout(root, sourced_ros(os.environ, root))
    if command == "setup":
        _setup(layout, options)
    elif command == "test":
        from bootstrap.testing import run_checks

        _ensure(layout, "dev")
        sys.exit(run_checks(layout, options))
    elif command == "python":
        _ensure(layout)
        env = environment.for_start(layout, os.environ)
        os.execve(layout.python, [str(layout.python), *options], env)
    else:
        if [command, *options[:1]] != ["steer", "estop"] or not layout.environment.exists():  # which waits for nothing
            _ensure(layout, "docs" if command == "docs" and not {"-h", "--help"} & set(options) else "")
        env = environment.for_start(layout, os.environ)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # crawler_cli unblocks it
        # -P: a module that lies in the current folder, which may be anybody's, is not imported
        os.execve(layout.python, [str(layout.python), "-P", "-m", "crawler_cli", *arguments], env)


def _setup(layout: Layout, options: list[str]) -> None:
    if options == ["--clean"]:
        _clean(layout)
    elif options:
        raise SetupError(f"./crawler setup got {' '.join(options)}: its only option is --clean.", MACHINE)
    else:
        _ensure(layout)
        print(f"Set up in {layout.home}. Start with: ./crawler run --help")


def _ensure(layout: Layout, extra: str = "") -> None:
    """Set up what is missing. If nothing is, only this module's few imports and the digests cost time."""
    if plan.make(layout, extra).todo():
        from bootstrap.steps import carry_out

        carry_out(layout, extra)


def _clean(layout: Layout) -> None:
    import shutil

    from bootstrap.lock import only_one

    if layout.crawler.is_symlink():
        raise SetupError(f"{layout.crawler} is a symbolic link and stays. Remove it yourself.", MACHINE)
    with only_one(layout.root):
        if layout.crawler.exists():
            shutil.rmtree(layout.crawler)
            print(f"Removed {layout.crawler}.")
