"""Tables that a command writes into a page, between two marks."""

from __future__ import annotations

from pathlib import Path

from crawler_core.errors import UserError

BEGIN, END = "<!-- written by ./crawler {command} --write -->", "<!-- until here -->"


def write_between_marks(page: Path, command: str, text: str) -> None:
    """Replace the text between the marks of a command. Raises UserError without marks, or for a page without access."""
    begin = BEGIN.format(command=command)
    try:
        whole = page.read_text()
    except OSError as error:
        raise UserError(f"{page} cannot be read: {error.strerror}.") from None
    before, mark, rest = whole.partition(begin)
    if not mark or END not in rest:
        raise UserError(f"{page} has no lines '{begin}' and '{END}': add them where the tables go.")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{END}{rest.partition(END)[2]}")
