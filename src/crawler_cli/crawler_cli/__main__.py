"""Dispatch of the command line. Each command's module is imported only when it is called."""

from __future__ import annotations

from crawler_cli.console.interruption import EXIT_INTERRUPTED, end_at_once, interrupt, interrupted

if __name__ == "__main__":
    end_at_once()  # before the imports that take their time

import argparse
import errno
import os
import select
import signal
import sys
from typing import NoReturn

from crawler_bringup.fastdds_profile import use_fastdds_profile
from crawler_cli.console.command import Command
from crawler_core.errors import UserError
from crawler_core.registry import Table
from crawler_nodes.transport.domain_id import domain_id

COMMANDS: Table[Command] = Table(
    "command",
    {
        "run": "crawler_cli.commands.run:COMMAND",
        "view": "crawler_cli.commands.view:COMMAND",
        "steer": "crawler_cli.commands.steer:COMMAND",
        "model": "crawler_cli.commands.model:COMMAND",
        "witness": "crawler_cli.commands.compare:COMMAND",
        "sweep": "crawler_cli.commands.sweep:COMMAND",
        "figures": "crawler_cli.commands.figures:COMMAND",
        "design": "crawler_cli.commands.design:COMMAND",
        "gait-analysis": "crawler_cli.commands.gait_analysis:COMMAND",
        "rerun": "crawler_cli.commands.rerun:COMMAND",
        "replay": "crawler_cli.commands.replay:COMMAND",
        "plot": "crawler_cli.commands.plot:COMMAND",
        "film": "crawler_cli.commands.film:COMMAND",
        "tune": "crawler_cli.commands.tune:COMMAND",
        "hw": "crawler_cli.commands.hw:COMMAND",
        "docs": "crawler_cli.commands.docs:COMMAND",
        "keys": "crawler_cli.commands.keys:COMMAND",
        "doctor": "crawler_cli.commands.doctor:COMMAND",
        "bench": "crawler_testing.commands.bench:COMMAND",
        "fuzz": "crawler_testing.commands.fuzz:COMMAND",
        "soak": "crawler_testing.commands.soak:COMMAND",
        "storm": "crawler_testing.commands.storm:COMMAND",
    },
)
EXIT_USAGE = 2
EXIT_UNREAD = 1  # nobody reads its output any more, so what was asked was not done; rich does the same
# what a path can have against being read or written, whichever of a command's many it is
PLACES = {errno.EACCES, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR, errno.EPERM}
PLACES |= {errno.EEXIST, errno.EROFS}


class _Parser(argparse.ArgumentParser):
    """A parser whose refusals are as those of everything else."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message.rstrip('.')}: '{self.prog} --help' says what there is.")


def main() -> int:
    """Run the command; returns the exit code.

    0: done; 1: what was asked was not done; 2: the input cannot be used; 130: interrupted.
    """
    parser = _Parser(
        prog="crawler",
        description="A ROS 2 stack for small crawling and legged robots.",
        epilog="'crawler <command> --help' says more. Also: 'crawler setup' and 'crawler test'.",
    )
    commands = parser.add_subparsers(dest="command", metavar="<command>", required=True)
    chosen = next((word for word in sys.argv[1:] if not word.startswith("-")), None)
    for name in COMMANDS:
        if name != chosen and chosen in COMMANDS:
            commands.add_parser(name)  # only to be listed where the chosen one is misspelt
            continue
        command = COMMANDS[name]
        sub = commands.add_parser(
            name,
            help=command.summary,
            description=command.description,
            epilog=command.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    use_fastdds_profile()
    interrupt()
    try:
        arguments = parser.parse_args()
        domain_id()
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except BaseException as error:
        if interrupted() or isinstance(error, KeyboardInterrupt):
            return EXIT_INTERRUPTED  # what an interruption breaks on its way is no error
        if isinstance(error, BrokenPipeError) and _is_unread():
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left to be flushed
            return EXIT_UNREAD
        if isinstance(error, OSError) and error.filename is not None and error.errno in PLACES:
            error = UserError(f"{error.filename} cannot be used: {error.strerror}.")
        if not isinstance(error, UserError):
            raise
        print(f"crawler: {error}", file=sys.stderr)
        return EXIT_USAGE


def _is_unread() -> bool:
    """Whether standard output is a pipe that nobody reads any more, such as of `crawler ... | head`."""
    pipe = select.poll()
    pipe.register(sys.stdout.fileno(), 0)
    return bool(pipe.poll(0))


if __name__ == "__main__":
    code = main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is over, but for what ends with the process
    sys.exit(code)
