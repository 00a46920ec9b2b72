"""What `crawler design` prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from crawler_cli.commands.model import finite
from crawler_core.parameters import describe
from crawler_core.robot import parameter_infos

if TYPE_CHECKING:
    from crawler_core.robot import RobotSpec
    from crawler_studies.design import Design, Designer


def show(spec: RobotSpec, designer: Designer, found: Design, result: dict[str, Any]) -> None:
    """The mechanism that was found beside the robot file's, and how to run it; `result` is what --json prints."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    infos = parameter_infos(spec)
    table = Table(title=f"{spec.title}: a mechanism in {result['seconds']:.1f} s", title_justify="left")
    table.add_column("")
    for column in ("robot file", "found", "searched"):
        table.add_column(column, justify="right")
    for name, value in found.settings.items():
        low, high = result["ranges"][name]
        old = f"{spec.parameters[name]:g} {infos[name].unit}"
        table.add_row(f"robot.{name}", old, f"{value:g} {infos[name].unit}", f"{low:g} to {high:g}")
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
        console.print("Nothing better was found: the robot file's mechanism has the lower objective.")
    sets = " ".join(f"--set robot.{name}={value:g}" for name, value in found.settings.items())
    console.print(f"run: {result['command']}", soft_wrap=True, markup=False)
    console.print(f"the same in words: {sets}", soft_wrap=True, markup=False)
    for name in ("file", "picture"):
        console.print(f"{name}: {result[name]}", soft_wrap=True, markup=False)


def show_options(spec: RobotSpec, designer: Designer, as_json: bool) -> None:
    """What --want and --over can say."""
    wishes, infos = describe(designer.wishes), parameter_infos(spec)
    ranges = designer.ranges(spec)
    if as_json:
        said = {
            "wishes": {w.name: {"default": w.default, "range": w.range_text(), "meaning": w.doc} for w in wishes},
            "ranges": {name: list(ends) for name, ends in ranges.items()},
        }
        print(json.dumps(said))
        return
    from rich.console import Console
    from rich.table import Table

    want = Table("--want", "default", "range", "meaning", title=f"{spec.title}: what it shall do", title_justify="left")
    for wish in wishes:
        want.add_row(wish.name, f"{wish.default:g}", wish.range_text(), wish.doc)
    over = Table("--over", "searched", "meaning", title="what is searched", title_justify="left")
    for name, (low, high) in ranges.items():
        over.add_row(f"robot.{name}", f"{low:g} to {high:g} {infos[name].unit}", infos[name].doc.replace("[", r"\["))
    console = Console(highlight=False)
    console.print(want)
    console.print(over)
