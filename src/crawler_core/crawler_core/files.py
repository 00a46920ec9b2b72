"""Text and YAML from outside, read as data of a bounded size; files written whole or not at all.

A YAML text gives mappings with text keys, lists, texts, truth values and numbers. It gives no objects, and dates stay
text. This holds for robot files, settings, and the texts in a recording: a recording is data and never code.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from yaml.constructor import ConstructorError

from crawler_core.errors import UserError

MAX_TEXT_BYTES = 2**20  # the largest text that the stack reads has a fiftieth of it
PROBE_BYTES = 2**18  # of space that a result needs
MAX_YAML_DEPTH = 40  # mappings and lists within each other
MAX_YAML_VALUES = 20_000  # with every alias spelt out; the largest text of the stack has a tenth of it
INTEGER_BOUND = 2**63
PLAIN_TAGS = ("null", "bool", "int", "float", "str", "seq", "map")
NOT_REGULAR = "no regular file, but a pipe, a device or a socket"
TAG_PREFIX = "tag:yaml.org,2002:"
# Each of these precedes the user's own settings where the library finds it in the current folder, and can make it start
# programs (matplotlib: LaTeX) or load compiled code (numba: its cache).
LIBRARY_SETTINGS = {"matplotlibrc": "matplotlib", ".numba_config.yaml": "numba"}


def check_working_directory() -> None:
    """Raise UserError where the current folder would configure a library."""
    for name, library in LIBRARY_SETTINGS.items():
        if os.path.lexists(name):
            raise UserError(
                f"the current folder has a {name}, which would configure {library}: "
                "start from another folder, or remove it. Settings of your own belong in your home directory or the "
                "environment."
            )


def read_text(path: Path) -> str:
    """Return the UTF-8 text of a file without a byte order mark. Raise UserError where it cannot be read."""
    try:
        if not stat.S_ISREG(mode := path.stat().st_mode) and not stat.S_ISDIR(mode):  # which might be waited for
            raise UserError(f"{path} cannot be read: it is {NOT_REGULAR}.")
        with path.open("rb") as file:
            data = file.read(MAX_TEXT_BYTES + 1)
    except UserError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(data) > MAX_TEXT_BYTES:
        raise UserError(f"{path} is larger than {MAX_TEXT_BYTES // 2**20} MB: it is no file of this stack.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line} is no text in UTF-8: save it in that encoding.") from None


def replace_file(file: Path, write: Callable[[str], Any]) -> None:
    """Let `write` make a file under another name, then put it in place of `file`. Raise UserError if the disk fails."""
    part = file.with_name(f".{file.stem}.part{file.suffix}")
    try:
        write(str(part))
        os.replace(part, file)
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror or error}.") from None
    finally:
        part.unlink(missing_ok=True)


def check_writable(file: Path) -> None:
    """Raise UserError where a result cannot be written beside `file`: before the work, not after it."""
    probe = file.with_name(f".{file.name}.probe")
    try:
        replace_file(probe, lambda part: Path(part).write_bytes(bytes(PROBE_BYTES)))
    except UserError as error:
        raise UserError(str(error).replace(probe.name, file.name)) from None
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def read_yaml(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file. Raise UserError that names the file and the line."""
    return parse_yaml(read_text(path), str(path))


def parse_yaml(text: str, label: str) -> dict[str, Any]:
    """Return the mapping in a YAML text; `label` says in errors where the text comes from."""
    document = parse_value(text, label)
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise UserError(f"{label} must hold 'key: value' pairs, but holds a {type(document).__name__}.")
    return document


def parse_value(text: str, label: str) -> Any:
    """Return the value of a YAML text. Raise UserError as `read_yaml` does."""
    try:
        return _copy(_parse(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise UserError(f"{label}{where} is not valid YAML: {error.problem or error.context}.") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise UserError(f"{label}, line {line} has a character that no text has: remove it.") from None
    except RecursionError:
        raise UserError(f"{label} is not valid YAML: it is nested more than {MAX_YAML_DEPTH} deep.") from None


@lru_cache(maxsize=16)  # a study reads its robot's file for every point
def _parse(text: str) -> Any:
    return yaml.load(text, PlainLoader)  # which makes less than the safe loader does


def _copy(value: Any) -> Any:
    """Copy plain data, so that neither the cache nor another alias shares it."""
    if isinstance(value, dict):
        return {key: _copy(own) for key, own in value.items()}
    return [_copy(own) for own in value] if isinstance(value, list) else value


class PlainLoader(yaml.SafeLoader):
    """A YAML loader of plain data. Its errors are of kinds that carry a place."""

    # without timestamps: `title: 2026-01-01` is a text
    yaml_implicit_resolvers = {  # noqa: RUF012  PyYAML's own, which it never changes
        start: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for start, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    yaml_constructors = {  # noqa: RUF012
        tag: constructor
        for tag, constructor in yaml.SafeLoader.yaml_constructors.items()
        if tag is None or tag.removeprefix(TAG_PREFIX) in PLAIN_TAGS
    }

    values_left = MAX_YAML_VALUES

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Count the values while they are read: reading too many takes long."""
        self.values_left -= 1
        if self.values_left < 0:
            mark = self.peek_event().start_mark
            raise ConstructorError(None, None, f"it holds more than {MAX_YAML_VALUES} values", mark)
        return super().compose_node(parent, index)

    def construct_document(self, node: Any) -> Any:
        """Check the size and the keys of the whole document before anything is made of it."""
        _measure(node, {})
        return super().construct_document(node)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """Refuse numbers that no computer has, with their place."""
        try:
            value = super().construct_object(node, deep)
        except (ValueError, OverflowError, KeyError):
            raise _refusal("that is not what its tag says, or no number that there is", node) from None
        if isinstance(value, int) and not -INTEGER_BOUND <= value < INTEGER_BOUND:
            raise _refusal("that number is too large", node)
        return value


def _refusal(problem: str, node: Any) -> ConstructorError:
    return ConstructorError(None, None, problem, node.start_mark)


def _measure(node: Any, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """Return the number of values in a node, aliases spelt out, and its depth; `known` are those of nodes seen before.

    Raise ConstructorError where they are too large, a node contains itself, or a key is no text or there twice.
    """
    if id(node) in known:
        measured = known[id(node)]
        if measured is None:
            raise _refusal("an alias in it stands within itself", node)
        return measured
    known[id(node)] = None
    parts: list[Any] = []
    if isinstance(node, yaml.MappingNode):
        _check_keys(node)
        parts = [part for pair in node.value for part in pair]
    elif isinstance(node, yaml.SequenceNode):
        parts = node.value
    values, depth = 1, 1
    for part in parts:
        own_values, own_depth = _measure(part, known)
        values, depth = values + own_values, max(depth, own_depth + 1)
        if values > MAX_YAML_VALUES:
            raise _refusal(f"it holds more than {MAX_YAML_VALUES} values", node)
        if depth > MAX_YAML_DEPTH:
            raise _refusal(f"it is nested more than {MAX_YAML_DEPTH} deep", node)
    known[id(node)] = values, depth
    return values, depth


def _check_keys(node: Any) -> None:
    seen: set[str] = set()
    for key, _ in node.value:
        if key.tag == f"{TAG_PREFIX}merge":
            continue
        if key.tag != f"{TAG_PREFIX}str":
            text = key.value if isinstance(key, yaml.ScalarNode) else "of several values"
            raise _refusal(f"the key {text} is no text: quote it", key)
        if key.value in seen:
            raise _refusal(f"the key '{key.value}' is there a second time", key)
        seen.add(key.value)
