"""A variable of a sweep, as the user writes it: gait.omega=0.3:20:100, ...:log, or gait.psi=10,20,30."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crawler_core.errors import UserError
from crawler_studies.study.study_case import StudyCase

FORMS = "write name=low:high:count, name=low:high:count:log or name=value,value,..."


@dataclass(frozen=True)
class SweepVariable:
    """A parameter by its full name, with rising values."""

    name: str
    values: tuple[float, ...]
    log: bool = False  # spaced by equal factors
    unit: str = ""


def parse_variables(case: StudyCase, words: Sequence[str]) -> tuple[SweepVariable, ...]:
    """Parse the user's words. Raises UserError for a mistake in one or between them."""
    variables: list[SweepVariable] = []
    for word in words:
        variable = parse_variable(case, word)
        if variable.name in (known.name for known in variables):
            raise UserError(f"{variable.name} is varied twice: give one --vary of it with all of its values.")
        variables.append(variable)
    return tuple(variables)


def parse_variable(case: StudyCase, word: str) -> SweepVariable:
    """Parse one variable. Raises UserError."""
    name, equals, text = word.partition("=")
    if not equals:
        raise UserError(f"'{word}' is no variable: {FORMS}.")
    info = case.info(name)
    log = text.endswith(":log")
    values = _parse_range(word, text.removesuffix(":log"), log) if ":" in text else _parse_list(word, text)
    case.check_range(name, values[0], values[-1])
    if info.type is int and any(value != int(value) for value in values):
        raise UserError(f"'{word}' has values between whole numbers, which {name} must be: list them.")
    return SweepVariable(name, values, log, info.unit)


def _parse_range(word: str, text: str, log: bool) -> tuple[float, ...]:
    parts = text.split(":")
    if len(parts) != 3:
        raise UserError(f"'{word}' is no range: {FORMS}.")
    low, high = (_parse_number(word, part) for part in parts[:2])
    try:
        count = int(parts[2])
    except ValueError:
        raise UserError(f"'{word}' is no range, its count '{parts[2]}' is no whole number: {FORMS}.") from None
    if count < 2:
        raise UserError(f"'{word}' has {count} points: a range needs 2 or more, one value is given with --set.")
    if not low < high:
        raise UserError(f"'{word}' is empty: {low:g} is not below {high:g}.")
    if log and low <= 0.0:
        raise UserError(f"'{word}' cannot have logarithmic spacing: {low:g} is not above 0.")
    values = (np.geomspace if log else np.linspace)(low, high, count).tolist()
    return (low, *values[1:-1], high)  # the ends as they were written


def _parse_list(word: str, text: str) -> tuple[float, ...]:
    values = [_parse_number(word, part) for part in text.split(",")]
    if len(values) < 2:
        raise UserError(f"'{word}' has one value: a variable needs 2 or more, one value is given with --set.")
    for before, after in pairwise(values):
        if not before < after:
            raise UserError(f"'{word}' must rise: {after:g} follows {before:g}.")
    return tuple(values)


def _parse_number(word: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise UserError(f"'{text}' in '{word}' is no number: {FORMS}.") from None
    if not math.isfinite(number):
        raise UserError(f"'{text}' in '{word}' is no finite number: {FORMS}.")
    return number
