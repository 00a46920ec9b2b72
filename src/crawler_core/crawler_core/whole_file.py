"""Writing a file that is there whole, or as it was before."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError


def replace_file(file: Path, write: Callable[[str], Any]) -> None:
    """Let `write` make a file, and put it in place of `file`. Raises UserError where the disk does not take it."""
    part = file.with_name(f".{file.stem}.part{file.suffix}")
    try:
        write(str(part))
        os.replace(part, file)
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror or error}.") from None
    finally:
        part.unlink(missing_ok=True)
