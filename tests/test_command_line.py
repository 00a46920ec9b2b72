"""The command line: what it prints, what it refuses, what it leaves behind."""

import json
import os
import subprocess
from typing import Any

import pytest
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore


@pytest.fixture
def broken_yaml(tmp_path):
    file = tmp_path / "broken.yaml"
    file.write_text("gait:\n  omega: 8\n  psi: [20\nrobot: {}\n")
    return str(file)


REFUSALS = [
    (["run", "--robot", "tree_link"], ["tree_link", "did you mean 'three_link'"]),
    (["run", "--backend", "pybulet"], ["pybulet", "did you mean 'pybullet'"]),
    (["run", "--controller", "joint_trackin"], ["joint_trackin", "did you mean 'joint_tracking'"]),
    (["run", "--gait", "harmonik"], ["harmonik", "did you mean 'harmonic'"]),
    (["run", "--set", "gait.omga=8"], ["gait.omga", "did you mean 'gait.omega'"]),
    (["run", "--set", "gait.omega=800"], ["gait.omega = 800", "0.05 to 40 rad/s"]),
    (["run", "--set", "robot.friction=-1"], ["robot.friction = -1", "0.01 to 3"]),
    (["run", "--set", "robot.fricton=0.3"], ["robot.fricton", "did you mean 'robot.friction'"]),
    (["run", "--set", "backend.rate=5"], ["backend.rate = 5", "10 to 4000 Hz"]),
    (["run", "--set", "controller.state_rat=5"], ["controller.state_rat", "did you mean 'controller.state_rate'"]),
    (["run", "--set", "gate.omega=8"], ["gate", "did you mean 'gait'"]),
    (["run", "--set", "omega=8"], ["omega=8", "section.name=value"]),
    (["run", "--set", "gait.amplitude=70"], ["joint_1", "172.0°", "gait.amplitude"]),
    (
        ["run", "--set", "gait.omega=20", "--set", "gait.phi0=145", "--set", "robot.friction=0.398"],
        ["leaves the ground", "gait.omega"],
    ),
    (["run", "--robot", "snake", "--set", "gait.n=7"], ["gait.n = 7", "at most 6"]),
    (["run", "--robot", "snake", "--set", "gait.alpha=74.8"], ["gait.alpha = 74.8", "74.56"]),
    (["run", "--robot", "snake", "--set", "gait.omega=6"], ["joint_", "6.0 rad/s", "lower gait.omega"]),
    (["run", "--robot", "snake", "--set", "robot.links=20"], ["joint_10", "6.00 N m", "serpenoid_closed"]),
    (["run", "--robot", "snake", "--set", "robot.links=9.5"], ["robot.links = 9.5", "whole number", "6 to 30"]),
    (["run", "--robot", "snake", "--gait", "harmonic"], ["'harmonic' moves 2 joints", "snake has 7"]),
    (["figures", "snake", "--only", "9"], ["figure '9'", "table2"]),
    (["run", "--params", "/nowhere/my.yaml"], ["/nowhere/my.yaml"]),
    (["run", "--duration", "-3"], ["--duration -3"]),
    (["run", "--backend", "mock", "--lockstep"], ["lockstep", "simulation"]),
    (["run", "--backend", "model", "--gui"], ["--gui", "PyBullet"]),
    (["run", "--real-time-factor", "0"], ["real_time_factor = 0", "lockstep"]),
    (["run", "--lockstep", "--set", "backend.lockstep=false"], ["--lockstep contradicts"]),
    (["model", "tree_link"], ["tree_link"]),
    (["model", "three_link", "--set", "backend.rate=100"], ["backend"]),
    (["bench", "--seconds", "0"], ["--seconds"]),
    (["run", "--duration", "1e300"], ["--duration", "'1e300' is not a number of at most 1e+09"]),
    (["run", "--duration", "2e7"], ["--duration 2e+07", "1e+07"]),
    (["run", "--duration", "nan"], ["--duration", "'nan' is not a number"]),
    (["run", "--duration", "soon"], ["--duration", "'soon' is not a number", "--help"]),
    (["run", "--real-time-factor", "nan"], ["--real-time-factor", "'nan'"]),
    (["sweep", "--vary", "gait.psi=0:1:2", "--workers", "1.5"], ["--workers", "'1.5' is not a whole number"]),
    (["tune", "--over", "gait.psi", "--budget", "9" * 5000], ["--budget", "not a whole number"]),
    (["gait-analysis", "--seconds", "1e8"], ["--seconds", "at most 3600"]),
    (["run", "--robot", "../../../x"], ["there is no robot '../../../x'"]),
    (["run", "--robot", "three_link/"], ["there is no robot 'three_link/'", "did you mean 'three_link'"]),
    (["run", "--robot", "a\nb"], ["there is no robot 'a b'"]),
    (["model", "x" * 5000], ["there is no robot 'xxx"]),
    (["run", "--robot", "x" * 5000 + ".yaml"], ["File name too long"]),
    (["run", "--robot", "/"], ["there is no robot '/'"]),
    (["run", "--namespace", "../x"], ["namespace '../x' is not allowed", "letters, digits and _"]),
    (["hw", "estop", "--namespace", "a b"], ["namespace 'a b' is not allowed"]),
    (["run", "--set", f"gait.omega={'9' * 5000}"], ["cannot be read"]),
    (["run", "--set", "gait.omega=&a [*a]"], ["cannot be read"]),
    (["run", "--set", "gait.omega={a: 1, a: 2}"], ["cannot be read"]),
    (["run", "--set", "gait.omega=[8]"], ["gait.omega = [8] is not allowed"]),
    (["run", "--set", "gait.omega=.nan"], ["gait.omega = nan is not allowed"]),
    (["run", "--params", "/"], ["/ cannot be read: Is a directory"]),
    (["run", "--params", "/dev/zero"], ["/dev/zero cannot be read", "no regular file"]),
    (["gait-analysis", "/dev/null"], ["/dev/null", "no regular file"]),
    (["tune", "--over", "gait.psi", "--out", "/nowhere/x"], ["/nowhere"]),
    (["run", "--speed", "3"], ["unrecognized arguments: --speed 3", "--help"]),
    (["rnu"], ["invalid choice: 'rnu'"]),
]


@pytest.mark.parametrize(("words", "expected"), REFUSALS, ids=[" ".join(words)[:60] for words, _ in REFUSALS])
def test_bad_input_is_one_sentence_and_exit_code_2_before_anything_starts(call, tmp_path, words, expected):
    code, out, err = call(*words)
    assert code == 2
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    for text in expected:
        assert text in err
    assert not list(tmp_path.iterdir())  # no directory of a run: nothing was started


def test_the_process_ends_with_the_same_sentence_and_code(crawler, tmp_path):
    words, expected = REFUSALS[0]
    result = subprocess.run([*crawler, *words], capture_output=True, text=True, timeout=200, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.strip().splitlines()) == 1
    assert expected[0] in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [["model", "three_link"], ["storm", "--list"]])
def test_a_closed_stdout_ends_it_without_a_message(crawler, words):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as out:
        done = subprocess.run([*crawler, *words], stdout=out, stderr=subprocess.PIPE, text=True, timeout=200)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("domain", ["abc", "-1", "233", "1.5", "9" * 5000])
def test_an_invalid_domain_is_one_sentence(call, monkeypatch, domain):
    monkeypatch.setenv("ROS_DOMAIN_ID", domain)
    code, out, err = call("run", "--backend", "mock")
    assert (code, out) == (2, "")
    assert "is not allowed: it must be a whole number from 0 to 232" in err
    assert len(err.strip().splitlines()) == 1


def test_a_file_that_is_not_a_study_is_not_changed(call, tmp_path):
    (tmp_path / "notes").write_text("x")
    code, _, err = call("tune", "--over", "gait.psi", "--budget", "1", "--out", "notes")
    assert code == 2
    assert "notes is no study file" in err
    assert (tmp_path / "notes").read_text() == "x"


def test_a_directory_that_cannot_be_written_is_one_sentence(call, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = call("figures", "three_link", "--only", "4", "--out", "file/figures")
    assert code == 2
    assert "file/figures" in err
    assert len(err.strip().splitlines()) == 1


def test_broken_yaml_is_reported_with_its_line(call, broken_yaml):
    code, _, err = call("run", "--params", broken_yaml)
    assert code == 2
    assert "line 4" in err


def test_model_prints_the_papers_step_length(call):
    code, out, _ = call("model", "three_link", "--set", "gait.omega=8", "--json")
    assert code == 0
    output = json.loads(out)
    assert abs(output["step_length_m"] - 2.8304e-3) < 1e-6
    assert output["valid"] is True
    for key in ("speed_m_s", "period_s", "mode_switches", "min_normal_force_N", "painleve_margin", "unique", "reason"):
        assert key in output


def test_model_says_why_a_gait_is_not_valid(call):
    words = ["--set", "gait.omega=20", "--set", "gait.phi0=145", "--set", "robot.friction=0.398"]
    code, out, _ = call("model", "three_link", *words, "--json")
    assert code == 1
    output = json.loads(out)
    assert output["valid"] is False
    assert output["step_length_m"] is None
    assert "leaves the ground" in output["reason"]


def test_a_run_leaves_summary_picture_and_recording(long_timeouts, crawler, tmp_path):
    words = ["run", "--backend", "model", "--lockstep", "--set", "gait.omega=3.2", "--duration", "9", "--record"]
    words += ["--set", "backend.lockstep_timeout=60", "--set", "controller.reference_timeout=60"]
    words += ["--out", "crawl", "--json"]
    result = subprocess.run([*crawler, *words], capture_output=True, text=True, timeout=200, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    output = json.loads(result.stdout)
    assert output["steady"] is True
    assert abs(output["step_length_m"] / output["predicted_step_length_m"] - 1.0) < 0.01
    assert output["late_ticks"] == 0
    assert output["clamped"] == 0
    assert json.loads((tmp_path / "crawl" / "summary.json").read_text()) == output
    assert (tmp_path / "crawl" / "run.png").read_bytes().startswith(b"\x89PNG")
    with AnyReader([tmp_path / "crawl" / "recording"], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
        counts = {connection.topic: connection.msgcount for connection in reader.connections}
        states = [c for c in reader.connections if c.topic == "/joint_states"]
        stamps = [stamp for _, stamp, _ in reader.messages(states)]
        contacts = [c for c in reader.connections if c.topic == "/contact_states"]
        _, _, data = next(iter(reader.messages(contacts)))
        first: Any = reader.deserialize(data, contacts[0].msgtype)
        feet = [entry.foot for entry in first.contacts]
        about = [c for c in reader.connections if c.topic == "/run_description"]
        _, _, data = next(iter(reader.messages(about)))
        description: Any = reader.deserialize(data, about[0].msgtype)
    assert counts["/joint_states"] >= 9 * 200 + 1  # a state that is not answered for long is sent again
    assert counts["/joint_commands"] >= 9 * 200
    assert counts["/odom"] >= 9 * 100
    for topic in ("/gait_reference", "/controller_state", "/tf", "/tf_static", "/robot_description", "/diagnostics"):
        assert counts[topic] > 0, topic
    assert feet == ["foot_1", "foot_2"]
    assert "omega: 3.2" in description.data
    assert stamps[-1] == 9_000_000_000  # filed under the run's own time


def test_a_run_does_not_overwrite_another(call, tmp_path):
    (tmp_path / "taken").mkdir()
    code, _, err = call("run", "--out", "taken")
    assert code == 2
    assert "taken exists already" in err


@pytest.mark.parametrize("command", ["run", "model", "doctor", "bench"])
def test_every_command_has_a_help(call, command):
    code, out, _ = call(command, "--help")
    assert code == 0
    assert "keys of --json" in out
