"""Dispatch of the command line. Each command's module is imported only when it is called."""

from __future__ import annotations

import argparse
import sys

from crawler_bringup.discovery import hasten_discovery
from crawler_cli.command import Command
from crawler_core.errors import UserError
from crawler_core.table import Table

COMMANDS: Table[Command] = Table(
    "command",
    {
        "run": "crawler_cli.commands.run:COMMAND",
        "model": "crawler_cli.commands.model:COMMAND",
        "witness": "crawler_cli.commands.witness:COMMAND",
        "sweep": "crawler_cli.commands.sweep:COMMAND",
        "figures": "crawler_cli.commands.figures:COMMAND",
        "design": "crawler_cli.commands.design:COMMAND",
        "gait-analysis": "crawler_cli.commands.gait_analysis:COMMAND",
        "tune": "crawler_cli.commands.tune:COMMAND",
        "hw": "crawler_cli.commands.hw:COMMAND",
        "doctor": "crawler_cli.commands.doctor:COMMAND",
        "bench": "crawler_cli.commands.bench:COMMAND",
    },
)
EXIT_USAGE = 2


def main() -> int:
    """Run the command; returns the exit code: 0 done, 1 the run failed, 2 the input cannot be used, 130 interrupted."""
    parser = argparse.ArgumentParser(
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
    arguments = parser.parse_args()
    hasten_discovery()
    try:
        return arguments.run(arguments)
    except UserError as error:
        print(f"crawler: {error}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
