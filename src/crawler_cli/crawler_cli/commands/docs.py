"""Make a site of this checkout's pages and of its modules' docstrings, to be read in a browser without a network."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from crawler_cli.site.build import build

ROOT = Path(__file__).resolve().parents[4]
HELP = """examples:
  crawler docs
  crawler docs --out public

exit codes: 0 done, 1 a link leads nowhere or a page cannot be read as it was meant, 2 the input cannot be used
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler docs`."""
    parser.add_argument(
        "--out", type=Path, default=Path("site"), metavar="FOLDER", help="where the site goes (default: %(default)s)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Build the site and say where it begins."""
    out = arguments.out.resolve()
    warnings = build(ROOT, out, sys.stderr)
    for line in warnings:
        print(line, file=sys.stderr)
    print(f"Open file://{out}/README.html in a browser.")
    return 1 if warnings else 0
