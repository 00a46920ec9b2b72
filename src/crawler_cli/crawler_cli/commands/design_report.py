"""Print the result and the options of `crawler design`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawler_cli.console.output import finite, print_json, print_lines, print_table
from crawler_core.parameters import describe

if TYPE_CHECKING:
    from crawler_studies.design.designer import Design, Designer
    from crawler_studies.study.study_case import StudyCase


def print_result(case: StudyCase, designer: Designer, found: Design, result: dict[str, Any]) -> None:
    """Print the design found beside the present one, and how to run it; `result` has the keys of --json."""
    from rich.table import Table

    title = f"{case.spec.title}: a {designer.target} in {result['seconds']:.1f} s"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for head in (f"gait {result['gait']}" if "gait" in result else "robot file", "found", "searched"):
        table.add_column(head, justify="right")
    for name, value in found.settings.items():
        low, high = result["ranges"][name]
        unit = case.infos[name].unit
        table.add_row(name, f"{case.value(name):g} {unit}", f"{value:g} {unit}", f"{low:g} to {high:g}")
    table.add_section()
    for column in designer.columns:
        old, new = (
            "-" if finite(values[column.key]) is None else column.text(values[column.key])
            for values in (found.old, found.new)
        )
        table.add_row(column.meaning, old, new, "")
    print_table(table)
    if not found.better:
        print(f"Nothing better was found: the present {designer.target} has the lower objective.")
    settings = " ".join(f"--set {name}={value:g}" for name, value in found.settings.items())
    print_lines(
        *found.notes,
        f"run: {result['command']}",
        f"the same as settings: {settings}",
        *(f"{name}: {result[name]}" for name in ("file", "picture", "table") if result[name]),
    )


def print_options(case: StudyCase, designer: Designer, as_json: bool) -> None:
    """Print the values of --want and --over."""
    qualities = describe(designer.goal)
    ranges = designer.ranges(case)
    if as_json:
        goal = {
            info.name: {"default": info.default, "range": info.range_text(), "meaning": info.doc} for info in qualities
        }
        print_json({"goal": goal, "ranges": {name: list(ends) for name, ends in ranges.items()}})
        return
    from rich.table import Table

    title = f"{case.spec.title}: qualities to want"
    want = Table("--want", "default", "range", "meaning", title=title, title_justify="left")
    for info in qualities:
        default = f"{info.default:g}" if info.type is float else str(info.default).lower()
        want.add_row(info.name, default, info.range_text(), info.doc)
    over = Table("--over", "searched", "meaning", title="parameters to search", title_justify="left")
    for name, (low, high) in ranges.items():
        info = case.infos[name]
        over.add_row(name, f"{low:g} to {high:g} {info.unit}", info.doc.replace("[", r"\["))
    print_table(want)
    print_table(over)
