"""What `crawler design` prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from crawler_cli.console.output import finite
from crawler_core.parameters import describe

if TYPE_CHECKING:
    from crawler_studies.design.designer import Design, Designer
    from crawler_studies.study.study_case import StudyCase


def show(case: StudyCase, designer: Designer, found: Design, result: dict[str, Any]) -> None:
    """What was found beside what there was, and how to run it; `result` is what --json prints."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    title = f"{case.spec.title}: a {designer.target} in {result['seconds']:.1f} s"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for column in (f"gait {result['gait']}" if "gait" in result else "robot file", "found", "searched"):
        table.add_column(column, justify="right")
    for name, value in found.settings.items():
        low, high = result["ranges"][name]
        unit = case.infos[name].unit
        table.add_row(name, f"{case.value(name):g} {unit}", f"{value:g} {unit}", f"{low:g} to {high:g}")
    table.add_section()
    for meaning in designer.columns:
        old, new = (
            "-" if finite(values[meaning.key]) is None else meaning.text(values[meaning.key])
            for values in (found.old, found.new)
        )
        table.add_row(meaning.meaning, old, new, "")
    console.print(table)
    for note in found.notes:
        console.print(note, soft_wrap=True, markup=False)
    if not found.better:
        console.print(f"Nothing better was found: the {designer.target} as it was has the lower objective.")
    sets = " ".join(f"--set {name}={value:g}" for name, value in found.settings.items())
    console.print(f"run: {result['command']}", soft_wrap=True, markup=False)
    console.print(f"the same in words: {sets}", soft_wrap=True, markup=False)
    for name in ("file", "picture", "table"):
        if result[name]:
            console.print(f"{name}: {result[name]}", soft_wrap=True, markup=False)


def show_options(case: StudyCase, designer: Designer, as_json: bool) -> None:
    """What --want and --over can say."""
    wishes = describe(designer.goal)
    ranges = designer.ranges(case)
    if as_json:
        said = {
            "wishes": {w.name: {"default": w.default, "range": w.range_text(), "meaning": w.doc} for w in wishes},
            "ranges": {name: list(ends) for name, ends in ranges.items()},
        }
        print(json.dumps(said))
        return
    from rich.console import Console
    from rich.table import Table

    title = f"{case.spec.title}: what shall be good"
    want = Table("--want", "default", "range", "meaning", title=title, title_justify="left")
    for wish in wishes:
        default = f"{wish.default:g}" if wish.type is float else str(wish.default).lower()
        want.add_row(wish.name, default, wish.range_text(), wish.doc)
    over = Table("--over", "searched", "meaning", title="what is searched", title_justify="left")
    for name, (low, high) in ranges.items():
        info = case.infos[name]
        over.add_row(name, f"{low:g} to {high:g} {info.unit}", info.doc.replace("[", r"\["))
    console = Console(highlight=False)
    console.print(want)
    console.print(over)
