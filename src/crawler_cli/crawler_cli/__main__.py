"""Dispatch of the command line. Each command's module is imported only when it is called."""

from __future__ import annotations

import argparse
import importlib
import sys

from crawler_bringup.discovery import hasten_discovery
from crawler_core.errors import UserError

COMMANDS = {
    "run": "start the ring: a backend, a gait and a controller",
    "model": "the equations alone: step length, speed, contacts",
    "sweep": "a map over any parameters, by the equations or in physics",
    "figures": "the figures of a robot's paper, drawn again from its equations",
    "tune": "the gait that crawls best, found in few evaluations",
    "hw": "the motors without a crawl: scan, monitor, calibrate, home, jog, estop",
    "doctor": "what this machine has and lacks",
    "bench": "how fast the ring is, beside bare rclpy and raw physics",
}
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
    for name, summary in COMMANDS.items():
        if name == chosen:
            module = importlib.import_module(f"crawler_cli.commands.{name}")
            sub = commands.add_parser(
                name,
                help=summary,
                description=module.__doc__,
                epilog=module.EPILOG,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
        else:
            commands.add_parser(name, help=summary)
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
