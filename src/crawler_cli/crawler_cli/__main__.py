"""Dispatch of the command line. Only the module of the chosen command is imported."""

from __future__ import annotations

from crawler_cli.console.interruption import exit_on_interrupt, raise_on_interrupt, was_interrupted

if __name__ == "__main__":
    exit_on_interrupt()  # before the imports below, which take time

import errno
import importlib
import os
import select
import signal
import sys
from types import ModuleType

from crawler_bringup.fastdds_profile import use_fastdds_profile
from crawler_cli.console.command_line import HelpFormatter, Parser, describe, rename_words
from crawler_cli.console.environment_error import check_file_limit, describe_environment_error
from crawler_cli.console.exit_code import EXIT_INTERRUPTED, EXIT_NOT_DONE, EXIT_USAGE
from crawler_cli.local_estop import stop_at_once
from crawler_core.errors import UserError
from crawler_core.files import check_working_directory
from crawler_nodes.transport.domain_id import DOMAIN_VARIABLE, domain_id

COMMANDS = {  # name and module, in the order of --help
    "run": "crawler_cli.commands.run",
    "view": "crawler_cli.commands.view",
    "steer": "crawler_cli.commands.steer",
    "drive": "crawler_cli.commands.drive",
    "model": "crawler_cli.commands.model",
    "compare": "crawler_cli.commands.compare",
    "sweep": "crawler_cli.commands.sweep",
    "figures": "crawler_cli.commands.figures",
    "design": "crawler_cli.commands.design",
    "gait-analysis": "crawler_cli.commands.gait_analysis",
    "estimators": "crawler_cli.commands.estimators",
    "rerun": "crawler_cli.commands.rerun",
    "replay": "crawler_cli.commands.replay",
    "plot": "crawler_cli.commands.plot",
    "film": "crawler_cli.commands.film",
    "tune": "crawler_cli.commands.tune",
    "hw": "crawler_cli.commands.hw",
    "docs": "crawler_cli.commands.docs",
    "keys": "crawler_cli.commands.keys",
    "doctor": "crawler_cli.commands.doctor",
    "bench": "crawler_testing.commands.bench",
    "soak": "crawler_testing.commands.soak",
    "load": "crawler_testing.commands.load",
    "storm": "crawler_testing.commands.storm",
    "fuzz": "crawler_testing.commands.fuzz",
}
# errors of a path that a command reads or writes
PATH_ERRORS = {errno.EACCES, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR, errno.EPERM}
PATH_ERRORS |= {errno.EEXIST, errno.EROFS}


def load_command(name: str) -> ModuleType:
    """Import the module of a command."""
    return importlib.import_module(COMMANDS[name])


def main() -> int:
    """Run the command and return its exit code.

    0: done; 1: not done; 2: the input cannot be used; 130: interrupted.
    """
    use_fastdds_profile()
    raise_on_interrupt()
    try:
        _check_standard_streams()
        check_file_limit()
        check_working_directory()
        if (code := stop_at_once(sys.argv[1:], os.environ.get(DOMAIN_VARIABLE, ""))) is not None:
            return code
        words = rename_words(sys.argv[1:])
        arguments = _parser(words).parse_args(words)
        domain_id()
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except BaseException as error:
        if was_interrupted() or isinstance(error, KeyboardInterrupt):
            return EXIT_INTERRUPTED  # whatever else the signal broke on its way is no error
        if isinstance(error, BrokenPipeError) and _stdout_is_closed():
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left to be flushed
            return EXIT_NOT_DONE
        if isinstance(error, OSError) and error.filename is not None and error.errno in PATH_ERRORS:
            error = UserError(f"{error.filename} cannot be used: {error.strerror}.")
        if not _flush() and not describe_environment_error(error):
            print("crawler: standard output cannot be written: the disk behind it is full, or gone.", file=sys.stderr)
            return EXIT_NOT_DONE
        if isinstance(error, Exception) and (sentence := describe_environment_error(error)):
            error = UserError(sentence)
        if not isinstance(error, UserError):
            raise
        print(f"crawler: {error}", file=sys.stderr)
        return EXIT_USAGE


def _parser(words: list[str]) -> Parser:
    """Return the parser of all commands, with the arguments of the chosen one."""
    parser = Parser(
        prog="crawler",
        description="A ROS 2 stack for small crawling and legged robots.",
        epilog="'crawler <command> --help' says more. Also: 'crawler setup' and 'crawler test'.",
        formatter_class=HelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", metavar="<command>", required=True)
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name in COMMANDS:
        if chosen not in (None, name):
            commands.add_parser(name)  # only its name, for the list of choices in an error
            continue
        command = load_command(name)
        sub = commands.add_parser(name, help=(command.__doc__ or "").partition("\n")[0])
        describe(sub, command)
        sub.set_defaults(run=command.run)
    return parser


def _check_standard_streams() -> None:
    """Raise UserError where a result could not be printed."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  until the end of the process
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        raise UserError("standard output is closed: redirect it to a file or to /dev/null.")


def _flush() -> bool:
    """Write what was printed; return False and drop it where that fails."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True


def _stdout_is_closed() -> bool:
    """Return whether standard output is a pipe whose reader has gone, such as of `crawler ... | head`."""
    pipe = select.poll()
    pipe.register(sys.stdout.fileno(), 0)
    return bool(pipe.poll(0))


if __name__ == "__main__":
    code = main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the end of the process is left
    sys.exit(code)
