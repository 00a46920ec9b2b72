"""Repeated entries of a robot file: one entry stands for as many as a whole-number parameter says.

`joint_*: {repeat: [1, links - 1], actuated: true, ...}` is joint_1, joint_2, ... for a robot with so many links.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from crawler_core.errors import UserError, quoted, unknown_name

REPEAT_MARK = "*"  # the place of the number in a name
MAX_REPETITIONS = 200
_BOUND = re.compile(r"(\w+)(?: *([+-]) *(\d{1,9}))?")


def expand_repeats(section: Mapping[str, Any], parameters: Mapping[str, Any], label: str) -> dict[str, Any]:
    """Return a section of a robot file with every repeated entry spelt out, in order.

    `parameters` is that section of the robot file. Raise UserError for a repetition that cannot be read.
    """
    entries: dict[str, Any] = {}
    for name, entry in section.items():
        where = f"{label}.{name}"
        if (REPEAT_MARK in name) != ("repeat" in entry):
            raise UserError(f"{where}: an entry has '{REPEAT_MARK}' in its name if, and only if, it says 'repeat'.")
        if "repeat" not in entry:
            _add(entries, name, entry, label)
            continue
        own = {key: value for key, value in entry.items() if key != "repeat"}
        first, last = _bounds(entry["repeat"], parameters, where)
        if last - first >= MAX_REPETITIONS:
            raise UserError(f"{where}.repeat goes from {first} to {last}: {MAX_REPETITIONS} is the most.")
        for number in range(first, last + 1):
            _add(entries, name.replace(REPEAT_MARK, str(number)), dict(own), label)
    return entries


def _add(entries: dict[str, Any], name: str, entry: Any, label: str) -> None:
    if name in entries:
        raise UserError(f"{label}.{name} is there twice: by its name and by a repetition, or by two.")
    entries[name] = entry


def _bounds(repeat: Any, parameters: Mapping[str, Any], where: str) -> tuple[int, int]:
    if not isinstance(repeat, list) or len(repeat) != 2:
        raise UserError(f"{where}.repeat = {quoted(repeat)} must be [first, last], such as [1, links - 1].")
    return _number(repeat[0], parameters, where), _number(repeat[1], parameters, where)


def _number(word: Any, parameters: Mapping[str, Any], where: str) -> int:
    """Return the value of a whole number, or of a whole-number parameter with an offset: 3, links, links - 1."""
    match = _BOUND.fullmatch(str(word).strip())
    if not match:
        raise UserError(f"{where}.repeat has {quoted(word)}: give a whole number, a parameter, or such as links - 1.")
    name, sign, offset = match.groups()
    shift = int(f"{sign}{offset}") if sign else 0
    if re.fullmatch(r"[0-9]{1,9}", name):
        return int(name) + shift
    whole = [known for known, entry in parameters.items() if entry.get("whole")]
    if name not in whole:
        raise unknown_name(f"whole-number parameter for {where}.repeat", name, whole)
    return int(parameters[name]["value"]) + shift
