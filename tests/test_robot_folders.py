"""A robot is its folders: no other source file has the name of a robot."""

import re
import subprocess
from pathlib import Path

import pytest

from crawler_core.robot.robot_file import default_robot, robot_names

ROOT = Path(__file__).resolve().parents[1]
TABLE_LINE = re.compile(r'\s*"\w+": "[\w.]+(:[\w.]+)?",?\s*')  # names a module or an object in it
PLACES = ("src", "setup", "requirements", ".ci", "crawler", "pyproject.toml", "colcon.meta")
DEFAULT = "src/crawler_description/robots/default"


def sources():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PLACES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("this is no git checkout")
    paths = [Path(line) for line in listed.stdout.splitlines()]
    return [path for path in paths if (ROOT / path).is_file() and "test" not in path.parts and path.suffix != ".png"]


def words_of(name):
    """Return a pattern of the name in every spelling: three_link, three-link, ThreeLink."""
    return re.compile(rf"(?<![a-z]){'[_-]?'.join(name.split('_'))}(?![a-z])", re.IGNORECASE)


def names_at_home(path):
    """Return the names of a file and of its folders."""
    return {*path.parts[:-1], path.name.split(".")[0]}


@pytest.mark.parametrize("name", robot_names())
def test_a_robots_name_is_in_its_own_folders_and_in_tables_only(name):
    word = words_of(name)
    found = []
    for path in sources():
        if name in names_at_home(path) or str(path) == DEFAULT:
            continue
        for number, line in enumerate((ROOT / path).read_text(errors="replace").splitlines(), start=1):
            is_table_line = TABLE_LINE.fullmatch(line) and any(f".{name}{end}" in line for end in (".", ":", '"'))
            if word.search(line) and not is_table_line:
                found.append(f"{path}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


def test_the_search_finds_every_spelling_of_a_name():
    for text in ("three_link", "the three-link robot", "ThreeLink.of()", "three_link_of(spec)", "THREE_LINK"):
        assert words_of("three_link").search(text)
    for text in ("three links", "threelinks"):
        assert not words_of("three_link").search(text)


def test_the_default_robot_exists():
    assert default_robot() in robot_names()
