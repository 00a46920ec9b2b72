"""Serve a page that shows a running stack in a browser and commands it from there."""

from __future__ import annotations

import argparse

from rclpy.parameter import Parameter

from crawler_cli.console.arguments import namespace, port
from crawler_view.server.view_node import main
from crawler_view.server.view_settings import ViewSettings
from crawler_view.server.web_server import open_sockets

HELP_TEXT = """
  makes   a page with the moving robot, sliders for its gait, and an emergency stop
  where   http://127.0.0.1:8600/, or --host and --port
  time    until Ctrl-C

The page can be started before the stack or after it, and ended and started again, without effect on the stack.

examples:
  crawler view                          the stack on this machine; open the printed address
  crawler view --namespace second --port 8601
  crawler view --view-only              nothing can be commanded from the page
  crawler view --host 0.0.0.0           for other machines too, with a token in the address

exit codes: 0 ended by Ctrl-C, SIGTERM or SIGHUP, 2 bad input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    defaults = ViewSettings()
    parser.add_argument("--namespace", type=namespace, default="", help="of the stack")
    parser.add_argument("--host", default=defaults.host, help="address to serve at (default: %(default)s)")
    parser.add_argument("--port", type=port, default=defaults.port, help="0: any that is free (default: %(default)s)")
    parser.add_argument("--token", default="", help="end of the page's address (default: a random one)")
    parser.add_argument("--view-only", action="store_true", help="a page without commands")


def run(arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    for sock in open_sockets(arguments.host, arguments.port):  # an unusable address is an error before anything starts
        sock.close()
    names = ("host", "port", "token", "view_only")
    overrides = [Parameter(name, value=getattr(arguments, name)) for name in names]
    main(overrides, arguments.namespace, say=lambda sentence: print(sentence, flush=True))
    return 0
