"""Read what `crawler design` searches: the goal of --want, the ranges of --over, the file of --out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler_core.errors import UserError, unknown_name
from crawler_core.files import parse_value
from crawler_core.parameters import build, check_value, describe

if TYPE_CHECKING:
    from crawler_studies.design.designer import Designer, Range
    from crawler_studies.study.study_case import StudyCase


def searched_sections(case: StudyCase, designer: Designer) -> list[str]:
    """Return the sections, robot or gait, whose parameters the designer can search."""
    from crawler_studies.study.study_case import group_by_section

    return sorted(group_by_section(designer.ranges(case)), reverse=True)


def check_sections(settings: Mapping[str, object], gait_is_given: bool, case: StudyCase, designer: Designer) -> None:
    """Raise UserError for settings, or a gait, that the search does not use."""
    known = searched_sections(case, designer)
    for section in settings:
        if section not in known:
            raise UserError(
                f"'{section}' settings mean nothing to the search for a {designer.target}: give {' and '.join(known)} "
                "settings."
            )
    if gait_is_given and "gait" not in known:
        raise UserError(f"the design of '{case.spec.name}' is a {designer.target}, not a gait: leave the gait out.")


def read_goal(words: Sequence[str], designer: Designer) -> Any:
    """Return the designer's goal with the values of --want. Raises UserError."""
    infos = {info.name: info for info in describe(designer.goal)}
    values: dict[str, Any] = {}
    for word in _split(words):
        name, equals, text = word.partition("=")
        if not equals:
            first = next(iter(infos.values()))
            raise UserError(f"--want '{word}' is not allowed: write name=value, such as {first.name}={first.default}.")
        if name not in infos:
            raise unknown_name("quality to want", name, infos)
        try:
            value = parse_value(text, word)
        except UserError:
            raise UserError(f"the value in '{word}' cannot be read: it must be {infos[name].range_text()}.") from None
        values[name] = check_value(infos[name], value, label=name)
    return build(designer.goal, values, section="want")


def read_ranges(words: Sequence[str], only: str | None, case: StudyCase, designer: Designer) -> dict[str, Range]:
    """Return the ranges to search, with those of --over; `only` is the one section to search. Raises UserError."""
    known = designer.ranges(case)
    ranges = {name: ends for name, ends in known.items() if only in (None, name.partition(".")[0])}
    for word in _split(words):
        name, _, text = word.partition("=")
        if name not in known:
            raise unknown_name("parameter to search", name, known)
        try:
            low, high = (float(part) for part in text.split(":"))
        except ValueError:
            raise UserError(f"--over '{word}' is not allowed: write {name}=low:high.") from None
        for value in (low, high):
            check_value(case.info(name), value, label=name)
        if low > high:
            raise UserError(f"--over '{word}' is empty: {low:g} is above {high:g}. Write {name}=low:high.")
        ranges[name] = low, high
    return ranges


def output_file(given: str, gait: str, case: StudyCase, goal: Any, ranges: Mapping[str, Range], seed: int) -> Path:
    """Return the parameter file of --out, or one in studies/ for this search. Raises UserError."""
    if given:
        file = Path(given)
        if file.suffix not in (".yaml", ".yml"):
            raise UserError(f"--out {file} is not allowed: the parameters go into a .yaml file.")
        if not file.parent.is_dir():
            raise UserError(f"{file} cannot be written: there is no directory {file.parent}.")
        return file
    from crawler_studies.study.study_file import default_study_path

    identity = {"goal": dataclasses.asdict(goal), "ranges": ranges, "seed": seed}
    identity |= {"gait": gait, "settings": case.settings}
    return default_study_path((case.spec.name, "design"), identity, ".yaml")


def _split(words: Sequence[str]) -> list[str]:
    return [word.strip() for text in words for word in text.split(",")]
