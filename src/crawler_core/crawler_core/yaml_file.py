"""Reading YAML with errors that point at the line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from crawler_core.errors import UserError


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file. Raises UserError that names the file, the line and what is wrong there."""
    try:
        text = path.read_text()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, label: str) -> dict[str, Any]:
    """The mapping in a YAML text; `label` says where it came from, for errors."""
    try:
        document = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise UserError(f"{label}{where} is not valid YAML: {error.problem or error.context}.") from None
    except yaml.YAMLError as error:
        raise UserError(f"{label} is not valid YAML: {error}.") from None
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise UserError(f"{label} must hold 'key: value' pairs, but holds a {type(document).__name__}.")
    return document
