"""Reading YAML with errors that point at the line."""

from __future__ import annotations

import pickle
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from crawler_core.errors import UserError
from crawler_core.plain_yaml import PlainLoader
from crawler_core.text_file import read_text


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file. Raises UserError that names the file, the line and what is wrong there."""
    return parse_yaml(read_text(path), str(path))


def parse_yaml(text: str, label: str) -> dict[str, Any]:
    """The mapping in a YAML text; `label` says where it came from, for errors."""
    document = parse_value(text, label)
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise UserError(f"{label} must hold 'key: value' pairs, but holds a {type(document).__name__}.")
    return document


def parse_value(text: str, label: str) -> Any:
    """Whatever a YAML text holds: plain data of a bounded size. Raises UserError as `read_yaml` does."""
    try:
        return pickle.loads(_parsed(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise UserError(f"{label}{where} is not valid YAML: {error.problem or error.context}.") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise UserError(f"{label}, line {line} has a character that no text has: remove it.") from None


@lru_cache(maxsize=16)
def _parsed(text: str) -> bytes:
    """What a text holds, made anew for whoever asks: a study reads its robot's file for every point."""
    return pickle.dumps(yaml.load(text, PlainLoader))  # which makes less than the safe loader does
