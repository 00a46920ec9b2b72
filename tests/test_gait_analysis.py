"""The command gait-analysis: of a recorded stack, of its own run, and of invalid input."""

import json
import subprocess

import pytest

REFUSALS = [
    (["nowhere.mcap"], ["there is no file nowhere.mcap"]),
    (["."], ["there is no recording in ."]),
    (["--robot", "tree_link"], ["tree_link", "did you mean 'three_link'"]),
    (["--gait", "harmonik"], ["harmonik", "did you mean 'harmonic'"]),
    (["--skip", "-1"], ["--skip -1"]),
    (["--seconds", "3"], ["--seconds 3", "9.666 s"]),
    (["--set", "backend.physics_rat=2"], ["backend.physics_rat"]),
    (["--set", "gait.omega=800"], ["gait.omega = 800"]),
    (["my.mcap", "--backend", "model"], ["--backend", "my.mcap is a recording"]),
    (["my.mcap", "--set", "controller.a=1"], ["controller"]),
]


@pytest.mark.parametrize(("words", "expected"), REFUSALS, ids=[" ".join(words) for words, _ in REFUSALS])
def test_bad_input_is_one_sentence_and_exit_code_2(call, tmp_path, words, expected):
    code, out, err = call("gait-analysis", *words)
    assert code == 2
    assert out == ""
    assert err.startswith("crawler: ")
    assert err.count("\n") == 1
    for word in expected:
        assert word in err
    assert not any(tmp_path.iterdir())


def test_its_own_run_leaves_plot_and_tables(call, tmp_path):
    words = ["--set", "gait.omega=8", "--seconds", "4", "--json"]
    code, out, err = call("gait-analysis", *words)
    assert (code, err) == (0, "")
    output = json.loads(out)
    assert output["source"] == "model"
    assert output["cycles"] == 2  # periods of 0.785 s from 2.356 s on
    directory = tmp_path / "studies/gait_analysis/three_link-harmonic-model"
    assert sorted(file.name for file in directory.iterdir()) == ["cycle.csv", "feet.csv", "gait.png", "run.csv"]
    code, out, _ = call("gait-analysis", *words[:-1], "--out", "elsewhere")
    assert code == 0
    assert "foot_2" in out
    assert "2 cycles of 0.7854 s" in out
    assert (tmp_path / "elsewhere/gait.png").is_file()


def test_a_run_that_ends_by_itself_is_a_sentence_and_exit_code_1(call):
    words = ["--set", "gait.omega=20", "--set", "gait.phi0=145", "--set", "robot.friction=0.398"]
    code, out, err = call("gait-analysis", *words)
    assert code == 1
    assert out == ""
    assert err.startswith("crawler: the run ended: ")
    assert "leaves the ground" in err


@pytest.mark.exhaustive  # a recording of a run without ROS is read every time
def test_a_recorded_stack_gives_the_results_of_a_run_without_ros(long_timeouts, crawler, call, tmp_path):
    """The same gait, law and equations, with processes and messages between them."""
    gait = ["--robot", "miniaq", "--gait", "walk", "--set", "gait.frequency=3"]
    words = ["run", *gait, "--backend", "model", "--lockstep", "--duration", "4", "--record", "--out", "stroll"]
    words += ["--set", "backend.lockstep_timeout=60", "--set", "controller.reference_timeout=60", "--json"]
    result = subprocess.run([*crawler, *words], capture_output=True, text=True, timeout=200, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    code, out, _ = call("gait-analysis", "stroll", "--json")
    assert code == 0
    output = json.loads(out)
    code, out, _ = call("gait-analysis", *gait, "--seconds", "4", "--json")
    assert code == 0
    own = json.loads(out)
    assert (output["robot"], output["gait"], output["source"], output["notes"]) == ("miniaq", "walk", "model", [])
    assert output["period_s"] == pytest.approx(1.0 / 3.0, rel=1e-6)
    for key in ("mismatch", "feet_down"):  # in lockstep the two are the same run
        assert output[key] == pytest.approx(own[key]), key
    assert output["speed_m_s"] == pytest.approx(own["speed_m_s"], rel=5e-3)  # odometry comes at 100 Hz
    for foot, numbers in own["feet"].items():
        assert output["feet"][foot]["duty"] == pytest.approx(numbers["duty"]), foot
        assert output["feet"][foot]["forward_N_s"] == pytest.approx(numbers["forward_N_s"], rel=1e-3), foot
        assert output["feet"][foot]["meant_duty"] == pytest.approx(0.75, abs=0.01), foot
    assert (tmp_path / "studies/gait_analysis/stroll/gait.png").is_file()
