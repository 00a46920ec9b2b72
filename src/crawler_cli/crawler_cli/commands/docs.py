"""Make a site of the documentation and of all docstrings, readable offline."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from crawler_cli.docs_site import build_site

ROOT = Path(__file__).resolve().parents[4]
HELP_TEXT = """
  makes   the pages of this checkout and a page for each module, as HTML
  where   site/, or --out FOLDER; the printed address opens it in a browser
  time    about a minute; the first call also installs Sphinx

examples:
  crawler docs
  crawler docs --out public

exit codes: 0 done, 1 done with warnings, such as a link that leads nowhere, 2 bad input
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=Path("site"), metavar="FOLDER", help="where the site goes (default: %(default)s)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Build the site and print its address."""
    out = arguments.out.resolve()
    warnings = build_site(ROOT, out, sys.stderr)
    for line in warnings:
        print(line, file=sys.stderr)
    print(f"Open file://{out}/README.html in a browser.")
    return 1 if warnings else 0
