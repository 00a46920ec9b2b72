"""What a command of the command line says of itself; each has such an object, which the table of commands names."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """One command."""

    summary: str  # a line in the list of commands
    description: str | None  # what its --help begins with
    epilog: str  # and ends with
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]  # returns the exit code
