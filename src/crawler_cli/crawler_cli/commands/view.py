"""A page that shows a running ring in a browser, and takes commands from there."""

from __future__ import annotations

import argparse

from rclpy.parameter import Parameter

from crawler_cli.console.arguments import namespace, port
from crawler_view.server.view_node import main
from crawler_view.server.view_settings import ViewSettings
from crawler_view.server.web_server import listen

HELP = """examples:
  crawler view                          of the ring that runs on this machine; open the address that is printed
  crawler view --namespace second --port 8601
  crawler view --view-only              nothing can be commanded from the page
  crawler view --host 0.0.0.0           for other machines too: the address has a token, without which nobody gets in

It can be started before the ring or after it, ended and started again: the ring does not know of it.

exit codes: 0 ended by Ctrl-C or SIGTERM, 2 bad input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler view`."""
    defaults = ViewSettings()
    parser.add_argument("--namespace", type=namespace, default="", help="of the ring")
    parser.add_argument("--host", default=defaults.host, help="address to serve at (default: %(default)s)")
    parser.add_argument("--port", type=port, default=defaults.port, help="0: any that is free (default: %(default)s)")
    parser.add_argument("--token", default="", help="what the page's address must end with (default: made up)")
    parser.add_argument("--view-only", action="store_true", help="the page can only look")


def run(arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    for sock in listen(arguments.host, arguments.port):  # refused in a sentence before anything starts
        sock.close()
    names = ("host", "port", "token", "view_only")
    overrides = [Parameter(name, value=getattr(arguments, name)) for name in names]
    main(overrides, arguments.namespace, say=lambda sentence: print(sentence, flush=True))
    return 0
