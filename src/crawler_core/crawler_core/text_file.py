"""Reading a text that somebody else wrote: as much of it as can be meant, or a sentence."""

from __future__ import annotations

from pathlib import Path

from crawler_core.errors import UserError

MOST = 2**20  # bytes; the largest file that the stack reads as text has a fiftieth of it


def read_text(path: Path) -> str:
    """The UTF-8 text of a file, without a byte order mark. Raises UserError that names the file and what is wrong."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST + 1)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(data) > MOST:
        raise UserError(f"{path} is larger than {MOST // 2**20} MB: it is no file of this stack.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line} is no text in UTF-8: save it in that encoding.") from None
