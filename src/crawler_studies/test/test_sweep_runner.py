"""A sweep that is cut off goes on where it stopped: what is finished is kept, and none of that is done again."""

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from crawler_studies.evaluators.evaluator import Result
from crawler_studies.study.study_case import Point
from crawler_studies.study.study_file import open_study
from crawler_studies.sweep.grid import Grid
from crawler_studies.sweep.runner import in_process, sweep
from crawler_studies.sweep.table import sweep_columns
from crawler_studies.sweep.variable import SweepVariable

GRID = Grid((SweepVariable("a", tuple(map(float, range(40)))), SweepVariable("b", tuple(map(float, range(50))))))
IDENTITY = {"study": "of the test"}


class Noting:
    """Its results tell the point, and a file has a line for each evaluation that was begun."""

    backend = "model"

    def __init__(self, log: Path) -> None:
        self.log = log

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        return [self.one(point) for point in points]

    def one(self, point: Point) -> Result:
        with self.log.open("a") as log:
            log.write(f"{point['a']:g} {point['b']:g}\n")
        if point["b"] == 49.0:
            return Result.invalid("b is 49.")
        return Result(point["a"] + 1e-3 * point["b"], point["b"], valid=True)


def begun(log: Path) -> Counter[int]:
    """How often each point's evaluation was begun."""
    lines = [line.split() for line in log.read_text().splitlines()]
    return Counter(50 * int(a) + int(b) for a, b in lines)


KILLED = """
import importlib.util, os, signal, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("shared", sys.argv[1])
shared = importlib.util.module_from_spec(spec)
spec.loader.exec_module(shared)

class Killed(shared.Noting):
    count = 0

    def one(self, point):
        self.count += 1
        if self.count == 300:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().one(point)

with shared.open_study(Path("s.sqlite"), shared.IDENTITY, shared.sweep_columns(shared.GRID, {})) as study:
    shared.sweep(shared.in_process, Killed(Path("first")), shared.GRID, study, print)
"""


def test_after_kill_9_what_was_finished_is_there_and_only_the_rest_is_done(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, __file__], cwd=tmp_path, timeout=200, capture_output=True)
    assert ended.returncode == -9, ended.stderr
    with open_study(tmp_path / "s.sqlite", IDENTITY, sweep_columns(GRID, {})) as study:
        finished = study.numbers()
        assert 0 < len(finished) < 300
        told: list[int] = []
        assert sweep(in_process, Noting(tmp_path / "second"), GRID, study, told.append) == GRID.size - len(finished)
        rows = study.finished()
    assert sum(told) == GRID.size - len(finished)
    first, second = begun(tmp_path / "first"), begun(tmp_path / "second")
    assert all(first[number] == 1 for number in finished)
    assert second == Counter(set(range(GRID.size)) - finished)  # each of the others once, and none that was finished
    assert [row[0] for row in rows] == list(range(GRID.size))
    for number, a, b, step, *_ in rows:
        assert number == 50 * a + b
        assert b == 49.0 or step == a + 1e-3 * b


class Interrupted(Noting):
    """Ctrl-C comes in the middle of a group."""

    def one(self, point: Point) -> Result:
        if point["a"] == 7.0:
            raise KeyboardInterrupt
        return super().one(point)


def test_after_ctrl_c_too(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with open_study(path, IDENTITY, sweep_columns(GRID, {})) as study, pytest.raises(KeyboardInterrupt):
        sweep(in_process, Interrupted(tmp_path / "first"), GRID, study, lambda _: None)
    with open_study(path, IDENTITY, sweep_columns(GRID, {})) as study:
        finished = study.numbers()
        sweep(in_process, Noting(tmp_path / "second"), GRID, study, lambda _: None)
        assert study.numbers() == set(range(GRID.size))
    assert finished
    assert begun(tmp_path / "second") == Counter(set(range(GRID.size)) - finished)


def test_progress_hears_only_of_what_is_on_the_disk(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    with open_study(tmp_path / "s.sqlite", IDENTITY, sweep_columns(GRID, {})) as study:

        def note(points: int) -> None:
            heard.append((points, len(study.numbers())))

        sweep(in_process, Noting(tmp_path / "log"), GRID, study, note)
        assert sweep(in_process, Noting(tmp_path / "log"), GRID, study, note) == 0
    total = 0
    for points, there in heard:
        total += points
        assert there == total
    assert total == GRID.size
