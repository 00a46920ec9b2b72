"""`crawler sweep`: its maps, its files, what it refuses, and that nothing that ends it costs a finished point."""

import json
import math
import os
import re
import select
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import pyarrow.csv
import pyarrow.parquet
import pytest
from stack_helpers import PHYSICS, engine_parameters

from crawler_cli.commands import sweep
from crawler_studies.study.study_file import open_study


@pytest.fixture
def call(call):
    """Runs a sweep in an empty directory; returns the exit code and what was printed."""
    return lambda *words: call("sweep", *words)


MAP = ["three_link", "--vary", "gait.omega=1,3.2,5.5,8,16", "--vary", "gait.psi=20,90"]


def test_a_map_has_the_papers_steps_and_is_not_computed_twice(call, tmp_path):
    code, out, err = call(*MAP, "--json")
    assert code == 0, err
    output = json.loads(out)
    assert set(output) == set(
        re.findall(r"[A-Za-z_]+", re.sub(r"\([^)]*\)", "", sweep.HELP_TEXT.split("keys of --json:")[1]))
    )
    assert (output["points"], output["valid"], output["evaluated"], output["finished_before"]) == (10, 10, 10, 0)
    table = pyarrow.parquet.read_table(tmp_path / output["table"]).to_pylist()
    steps = {row["gait.omega"]: 1e3 * row["step_length_m"] for row in table if row["gait.psi"] == 20.0}
    for omega, step in {1.0: 159.8147, 3.2: 23.0822, 8.0: 2.8304, 16.0: 7.3171}.items():
        assert abs(steps[omega] - step) < 1e-3
    assert steps[5.5] < 0.0  # between 5.11 and 6.13 rad/s it goes backwards
    best = max(table, key=lambda row: abs(row["speed_m_s"]))
    assert output["fastest"]["gait.omega"] == best["gait.omega"] == 16.0
    assert (tmp_path / output["picture"]).read_bytes().startswith(b"\x89PNG")

    code, out, _ = call(*MAP, "--json")
    again = json.loads(out)
    assert (code, again["evaluated"], again["finished_before"]) == (0, 0, 10)
    assert pyarrow.parquet.read_table(tmp_path / again["table"]).to_pylist() == table


def test_another_sweep_gets_files_of_its_own(call):
    first = json.loads(call(*MAP, "--json")[1])
    second = json.loads(call(*MAP, "--set", "robot.friction=0.398", "--json")[1])
    assert first["study"] != second["study"]
    assert first["fastest"]["step_length_m"] != second["fastest"]["step_length_m"]


def test_without_json_the_results_are_a_text(call, tmp_path):
    code, out, err = call("--vary", "gait.omega=1:8:5:log", "--out", "speed.csv")
    assert code == 0
    assert "5 points (gait.omega 1 to 8 in 5)" in err
    assert "5 of 5 points" in err
    assert "of which 5 are valid" in out
    assert "speed.png shows step length and speed over gait.omega." in out
    omegas = pyarrow.csv.read_csv(tmp_path / "speed.csv")["gait.omega"].to_pylist()
    assert omegas == pytest.approx([8 ** (k / 4) for k in range(5)])


def test_friction_and_robot_parameters_vary_too(call, tmp_path):
    words = ["--vary", "robot.friction_scale_1=0.9,1,1.1", "--vary", "robot.mass_1=0.01,0.021", "--out", "f.csv"]
    code, *_ = call(*words, "--set", "gait.omega=1")
    assert code == 0
    rows = pyarrow.csv.read_csv(tmp_path / "f.csv").to_pylist()
    steps = {(row["robot.friction_scale_1"], row["robot.mass_1"]): 1e3 * row["step_length_m"] for row in rows}
    assert abs(steps[1.0, 0.021] - 159.8147) < 1e-3
    assert abs(steps[1.0, 0.01]) < 2.0  # with unequal legs one foot sticks all the time, and the robot stays


def test_invalid_points_have_a_reason_and_no_valid_point_is_exit_code_1(call, tmp_path):
    words = ["--vary", "gait.omega=19,20,21", "--set", "gait.phi0=145", "--set", "robot.friction=0.398"]
    code, out, _ = call(*words, "--out", "none.csv", "--json")
    assert code == 1
    assert json.loads(out)["fastest"] is None
    for row in pyarrow.csv.read_csv(tmp_path / "none.csv").to_pylist():
        assert row["valid"] is False
        assert "leaves the ground" in row["reason"]


def test_four_variables_have_a_table_but_no_picture(call, tmp_path):
    names = ["gait.omega=1,2", "gait.psi=20,30", "gait.phi0=110,112", "gait.amplitude=17,18"]
    code, out, _ = call(*(word for name in names for word in ("--vary", name)), "--out", "four.csv", "--json")
    output = json.loads(out)
    assert (code, output["points"], output["picture"]) == (0, 16, None)
    assert "4 variables do not fit" in output["drawn"]
    assert not (tmp_path / "four.png").exists()


ONE = ["--vary", "gait.omega=1,2"]
REFUSALS = [
    ([], ["give --vary"]),
    (["--vary", "gait.omga=1:2:3"], ["did you mean 'gait.omega'"]),
    (["--vary", "gait.omega=2:1:3"], ["is empty"]),
    (["--vary", "gait.omega=1:2:1"], ["has 1 points"]),
    (["--vary", "gait.omega=1:400:3"], ["0.05 to 40 rad/s"]),
    (["--vary", "gait.alpha=0,0.5"], ["there is no parameter 'gait.alpha'"]),  # of the other gait
    ([*ONE, *ONE], ["gait.omega is varied twice"]),
    ([*ONE, "--set", "gait.omega=3"], ["--vary gait.omega contradicts --set gait.omega"]),
    (["--vary", "gait.omega=1:2:10000", "--vary", "gait.psi=1:2:10000"], ["100000000 points are more"]),
    (["tree_link", *ONE], ["did you mean 'three_link'"]),
    ([*ONE, "--gait", "harmonik"], ["did you mean 'harmonic'"]),
    ([*ONE, "--backend", "mock"], ["no backend for sweeps 'mock'", "model, mujoco, pybullet"]),
    ([*ONE, "--set", "backend.rate=100"], ["no use for 'backend' settings"]),
    ([*ONE, "--set", "gait.psi=400"], ["gait.psi = 400"]),
    ([*ONE, "--backend", "pybullet", "--set", "backend.lockstep=true"], ["backend.lockstep"]),
    ([*ONE, "--out", "map.xlsx"], [".parquet or .csv"]),
    ([*ONE, "--out", "nowhere/map.csv"], ["there is no directory nowhere"]),
    ([*ONE, "--workers", "0"], ["--workers 0"]),
    ([*ONE, "--workers", "2", "--scheduler", "tcp://127.0.0.1:8786"], ["--workers contradicts --scheduler"]),
    ([*ONE, "--scheduler", "tcp://127.0.0.1:1"], ["no Dask scheduler answers at tcp://127.0.0.1:1"]),
    ([*ONE, "--scheduler", "localhost"], ["--scheduler localhost is no address"]),
]


@pytest.mark.parametrize(("words", "expected"), REFUSALS, ids=[" ".join(words) for words, _ in REFUSALS])
def test_bad_input_is_one_sentence_and_leaves_nothing_behind(call, tmp_path, words, expected):
    code, out, err = call(*words)
    assert code == 2
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    for text in expected:
        assert text in err
    assert not list(tmp_path.iterdir())


def test_files_of_others_are_not_overwritten(call, tmp_path):
    (tmp_path / "map.csv").write_text("mine")
    code, _, err = call(*ONE, "--out", "map.csv")
    assert code == 2
    assert "map.csv exists already, and not from a sweep" in err
    assert (tmp_path / "map.csv").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1


def test_the_study_of_another_sweep_is_rejected_with_the_difference(call, tmp_path):
    assert call(*ONE, "--out", "map.csv")[0] == 0
    for more, stderr in {
        ("--set", "robot.friction=0.2"): "robot.friction is 0.172 in the file and 0.2 here",
        ("--gait", "time_scaled"): "gait.name is harmonic in the file and time_scaled here",
        ("--vary", "gait.psi=1,2"): "variables.gait.psi is not given in the file",
        ("--backend", "pybullet"): "backend.name is model in the file and pybullet here",
    }.items():
        code, _, err = call(*ONE, *more, "--out", "map.csv")
        assert code == 2
        assert "map.sqlite is another study" in err
        assert stderr in err
        assert len(err.strip().splitlines()) == 1


def test_a_sweep_whose_study_is_open_elsewhere_is_rejected(call, tmp_path):
    (tmp_path / "map.sqlite").touch()
    with open_study(tmp_path / "map.sqlite", {}, {}):
        code, _, err = call(*ONE, "--out", "map.csv")
    assert code == 2
    assert "map.sqlite is in use by another process" in err


# physics, in processes, that end


COARSE = ["--set", "backend.physics_rate=500", "--set", "backend.rate=250"]  # quick, and good enough here
# so many that none of the ends comes too late
MANY = ["sweep", "--backend", PHYSICS, "--vary", "gait.omega=9:14:600", *COARSE, "--out", "p.csv"]


def child_pids(process):
    """Descriptors of the processes that a process has started; each becomes readable when its process ends."""
    found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False).stdout
    return [os.pidfd_open(int(pid)) for pid in found.split()]


def finished(study):
    """Return the evaluations in a study file whose process has ended."""
    with closing(sqlite3.connect(study)) as connection:
        return connection.execute("SELECT * FROM evaluations ORDER BY number").fetchall()


def end_in_the_middle(crawler, directory, number):
    """Starts the sweep and ends it once it has written something; its first line, its last words and its exit code."""
    with subprocess.Popen(
        [*crawler, *MANY], cwd=directory, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        first = process.stderr.readline()
        written = set()
        while len(written) < 5:  # until the first points are in it for good: the last write may not be whole yet
            written.add((directory / "p.sqlite").stat().st_mtime_ns)
            assert process.poll() is None
            time.sleep(0.005)
        workers = child_pids(process)
        if number == signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, number)  # as a terminal does
        stderr = process.stderr.read()
    assert workers
    for worker in workers:
        assert select.select([worker], [], [], 60.0)[0], "a worker outlived its sweep"
        os.close(worker)
    return first, stderr, process.returncode


def test_an_interrupted_sweep_resumes_and_repeats_no_point(crawler, tmp_path):
    first, _, code = end_in_the_middle(crawler, tmp_path, signal.SIGKILL)
    assert "600 points (" in first
    assert code == -signal.SIGKILL
    killed = finished(tmp_path / "p.sqlite")
    assert 0 < len(killed) < 600

    first, stderr, code = end_in_the_middle(crawler, tmp_path, signal.SIGINT)
    assert f"600 points, {len(killed)} of them finished before" in first
    assert code == 130
    interrupted = finished(tmp_path / "p.sqlite")
    assert len(killed) < len(interrupted) < 600
    assert [row for row in interrupted if row in killed] == killed  # a number is there once, and its row as it was
    last = stderr.splitlines()[-1]
    assert f"interrupted with {len(interrupted)} of 600 points finished" in last
    assert "they are in p.sqlite, and the same command goes on there." in last
    assert "Traceback" not in stderr


@pytest.mark.exhaustive  # interrupted sweeps are in every run
@pytest.mark.parametrize("engine", engine_parameters())
def test_a_sweep_in_processes_comes_to_its_end(crawler, tmp_path, engine):
    words = ["sweep", "--backend", engine, "--vary", "gait.omega=9,14", *COARSE, "--out", "p.csv", "--json"]
    result = subprocess.run([*crawler, *words], cwd=tmp_path, capture_output=True, text=True, timeout=280)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    output = json.loads(result.stdout)  # nothing else is on stdout
    assert (output["finished_before"], output["evaluated"]) == (0, 2)
    rows = pyarrow.csv.read_csv(tmp_path / "p.csv").to_pylist()
    assert [row["gait.omega"] for row in rows] == [9.0, 14.0]
    assert all(row["valid"] and math.isfinite(row["step_length_m"]) for row in rows)
