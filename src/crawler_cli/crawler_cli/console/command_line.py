"""Parsers for the command line: help within 100 columns, errors in one sentence, renamed words."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from crawler_core.errors import UserError

MAX_HELP_COLUMNS = 100
RENAMED_COMMANDS = {"witness": "compare"}
RENAMED_OPTIONS = {
    "--output": "--out",
    "--patience": "--timeout-scale",
    "--save": "--out",
    "--settles": "--warmup",
    "--study": "--out",
}


class HelpFormatter(argparse.HelpFormatter):
    """Wraps help at 100 columns, or at the terminal's width. Lines indented by two spaces are items of a list."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=min(MAX_HELP_COLUMNS, shutil.get_terminal_size().columns) - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(_fill(paragraph.strip("\n"), width) for paragraph in text.split("\n\n"))


def _fill(paragraph: str, width: int) -> str:
    has_items = "\n  " in f"\n{paragraph}"
    items: list[str] = []
    for line in paragraph.split("\n"):
        if items and (line.startswith("   ") or not has_items):
            items[-1] += f" {line.strip()}"
        else:
            items.append(line)
    return "\n".join(_fill_item(item, width) for item in items)


def _fill_item(item: str, width: int) -> str:
    label = re.match(r"  \S+ {2,}", item)
    hanging = label.end() if label else 4 if item.startswith(" ") else 0
    return textwrap.fill(item, width, subsequent_indent=" " * hanging, break_on_hyphens=False)


class Parser(argparse.ArgumentParser):
    """A parser that reports a wrong argument as UserError."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message.rstrip('.')}: see '{self.prog} --help'.")


def describe(parser: argparse.ArgumentParser, command: ModuleType) -> None:
    """Give the parser the help and the arguments of a command's module.

    The module has a docstring of one sentence, `add_arguments(parser)`, and `run(arguments)`, which returns the exit
    code. The first paragraph of its HELP_TEXT has the facts "makes", "where" and "time".
    """
    facts, _, rest = command.HELP_TEXT.partition("\n\n")
    parser.description = f"{command.__doc__}\n\n{facts}"
    parser.epilog = rest
    parser.formatter_class = HelpFormatter
    command.add_arguments(parser)


def rename_words(words: Sequence[str]) -> list[str]:
    """Return the words of a command line with today's command. Raises UserError for an option's old name."""
    words = list(words)
    if words and (new := RENAMED_COMMANDS.get(words[0])):
        print(f"crawler: the command '{words[0]}' is now called '{new}'.", file=sys.stderr)
        words[0] = new
    for word in words[1:]:
        old = word.partition("=")[0]
        if old in RENAMED_OPTIONS:
            raise UserError(f"the option {old} is no longer known: it is now called {RENAMED_OPTIONS[old]}.")
    return words
