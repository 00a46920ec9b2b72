"""The study file keeps what is finished, whatever ends the process, and goes on only as the study that it is."""

import math
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from crawler_core.errors import UserError
from crawler_studies.study.study_file import StudyFile, open_study

IDENTITY = {"robot": {"name": "three_link", "mass": 0.021}, "gait": "harmonic", "values": [1.0, 2.0]}
COLUMNS = {"omega": float, "step": float, "valid": int, "reason": str}


def opened(path: Path, **over: object) -> StudyFile:
    return open_study(path, {**IDENTITY, **over}, COLUMNS)


def test_what_was_added_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    with opened(tmp_path / "a.sqlite") as study:
        study.add([(7, 0.1 + 0.2, math.nan, 0, "a foot 'lifts', \n really"), (2, 1.0, -0.0, 1, "")])
        study.add([])
    with opened(tmp_path / "a.sqlite") as study:
        assert study.numbers() == {2, 7}
        (second, seventh) = study.finished()
    assert second == (2, 1.0, 0.0, 1, "")
    assert seventh[1] == 0.1 + 0.2  # to the bit
    assert math.isnan(seventh[2])
    assert seventh[3:] == (0, "a foot 'lifts', \n really")


def test_no_evaluation_is_kept_twice_and_a_group_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    with opened(tmp_path / "a.sqlite") as study:
        study.add([(1, 1.0, 1.0, 1, "")])
        with pytest.raises(sqlite3.IntegrityError):
            study.add([(2, 2.0, 2.0, 1, ""), (1, 9.0, 9.0, 1, "")])
        assert study.finished() == [(1, 1.0, 1.0, 1, "")]
        study.add([(2, 3.0, 3.0, 1, "")])  # it goes on after that
        assert study.numbers() == {1, 2}


KILLED_WHILE_ADDING = """
import os, signal, sys
from pathlib import Path
from crawler_studies.study.study_file import open_study

def rows():
    for number in range(10, 100_000):
        if number == 90_000:  # long after SQLite began to spill pages into the file
            os.kill(os.getpid(), signal.SIGKILL)
        yield number, 1.0, 1.0, 1, "x" * 100

study = open_study(Path(sys.argv[1]), {identity!r}, {{"omega": float, "step": float, "valid": int, "reason": str}})
study.add([(1, 1.0, 1.0, 1, "")])
study.add(rows())
"""


def test_a_process_that_is_killed_while_it_adds_leaves_what_was_added_before(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    code = KILLED_WHILE_ADDING.format(identity=IDENTITY)
    ended = subprocess.run([sys.executable, "-c", code, str(path)], env=os.environ, timeout=200)
    assert ended.returncode == -9
    assert (tmp_path / "a.sqlite-journal").exists()  # it was indeed in the middle
    with opened(path) as study:
        assert study.finished() == [(1, 1.0, 1.0, 1, "")]
        study.add([(10, 2.0, 2.0, 1, "")])
        assert study.numbers() == {1, 10}


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ({"robot": {"name": "three_link", "mass": 0.03}}, ["robot.mass is 0.021 in the file and 0.03 here"]),
        ({"gait": "time_scaled"}, ["gait is harmonic in the file and time_scaled here"]),
        ({"values": [1.0, 3.0]}, ["values is [1.0, 2.0] in the file and [1.0, 3.0] here"]),
        ({"robot": {"name": "three_link"}}, ["robot.mass is 0.021 in the file and not given here"]),
        ({f"extra_{k}": k for k in range(5)}, ["extra_0", "extra_2", "and 2 more"]),
    ],
)
def test_a_file_of_another_study_is_refused_with_what_differs(
    tmp_path: Path, over: dict[str, object], said: list[str]
) -> None:
    opened(tmp_path / "a.sqlite").close()
    with pytest.raises(UserError) as refused:
        opened(tmp_path / "a.sqlite", **over)
    for words in ("a.sqlite is another study", *said, "give this one another file"):
        assert words in str(refused.value)
    opened(tmp_path / "a.sqlite").close()  # nothing was changed, and nobody holds it


def test_whole_numbers_are_the_same_as_decimal_ones(tmp_path: Path) -> None:
    opened(tmp_path / "a.sqlite", omega=8).close()
    opened(tmp_path / "a.sqlite", omega=8.0).close()


HOLDING = """
import sys
from pathlib import Path
from crawler_studies.study.study_file import open_study

with open_study(Path(sys.argv[1]), {identity!r}, {columns}):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_a_file_that_another_process_has_open_is_refused_until_that_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    code = HOLDING.format(identity=IDENTITY, columns="{'omega': float, 'step': float, 'valid': int, 'reason': str}")
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(UserError, match=r"a\.sqlite is in use by another process"):
            opened(path)
        other.kill()
    opened(path).close()


def test_what_is_no_study_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.sqlite"
    text.write_text("these are notes\n" * 100)
    with pytest.raises(UserError, match=r"notes\.sqlite is no study file: give another name"):
        opened(text)
    assert text.read_text() == "these are notes\n" * 100
    with sqlite3.connect(tmp_path / "other.sqlite") as other:
        other.execute("CREATE TABLE addresses (name TEXT)")
    with pytest.raises(UserError, match="a database, but no study file"):
        opened(tmp_path / "other.sqlite")


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with opened(path) as study:
        study.add([(k, 1.0, 1.0, 1, "x" * 50) for k in range(1000)])
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * 8192 + whole[16384:])
    with pytest.raises(UserError, match="is no study file, or is damaged"):
        opened(path)


def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no directory"):
        opened(tmp_path / "nowhere" / "a.sqlite")
    with pytest.raises(UserError, match="is a directory"):
        opened(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_one_sentence_and_costs_nothing_that_was_finished(tmp_path: Path) -> None:
    with opened(tmp_path / "a.sqlite") as study:
        study.add([(1, 1.0, 1.0, 1, "")])
        study._connection.execute("PRAGMA max_page_count = 4")
        with pytest.raises(UserError, match="cannot be written: database or disk is full"):
            study.add([(k, 1.0, 1.0, 1, "x" * 100) for k in range(2, 1000)])
        assert study.numbers() == {1}
