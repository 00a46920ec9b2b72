"""Data brings no code: recordings, settings and the current folder, whatever they name and wherever they lie."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crawler_core.errors import UserError
from crawler_core.files import LIBRARY_SETTINGS
from crawler_core.robot.installed_robot import check_installed
from crawler_core.robot.robot_file import load_robot, robots_directory
from crawler_models.estimation.estimator_registry import estimator_name
from crawler_testing.file_fuzz.sample_recording import sample_recording

ROOT = Path(__file__).resolve().parents[1]
ROBOT = "three_link"
HOSTILE = "from pathlib import Path\nPath({mark!r}).touch()\n"
SHADOWED = ("crawler_cli", "crawler_core", "json", "matplotlib", "numpy", "rclpy", "yaml", "sitecustomize")


@pytest.fixture
def stranger(tmp_path):
    """A folder with a recording, the robot that it names, and modules that leave a mark when they are imported."""
    folder = tmp_path / "downloaded"
    shutil.copytree(robots_directory() / ROBOT, folder)
    text = (folder / "robot.yaml").read_text()
    assert "\nequations: three_link\n" in text
    (folder / "robot.yaml").write_text(text.replace("\nequations: three_link\n", "\nequations: hostile:MODEL\n"))
    (folder / "hostile.py").write_text(HOSTILE.format(mark=str(tmp_path / "mark")))
    for name in ("./robot.yaml", str(folder / "robot.yaml")):
        recording = sample_recording(robot_named=name)
        (folder / f"{'here' if name[0] == '.' else 'there'}.mcap").write_bytes(recording.write())
    path = list(sys.path)
    yield folder
    sys.path[:] = path
    sys.modules.pop("hostile", None)


@pytest.mark.parametrize("command", ["plot", "film", "gait-analysis", "rerun", "replay"])
def test_a_recording_brings_no_code(call, stranger, monkeypatch, tmp_path, command):
    monkeypatch.chdir(stranger)
    monkeypatch.syspath_prepend(str(stranger))  # a robot folder of another command of this process
    words = {"film": ["--width", "200", "--to", "0.2"], "replay": ["--real-time-factor", "1000"]}.get(command, [])
    for recording in ("here.mcap", "there.mcap"):
        code, _, err = call(command, recording, *words)
        assert not (tmp_path / "mark").exists()
        if command == "rerun":
            assert code == 2
            assert "is not installed: data may not bring code" in err
        elif command in ("plot", "film"):
            assert code == 0, err
            assert "give its robot.yaml with --robot" in err


def test_a_robot_that_the_user_names_does(call, stranger, monkeypatch, tmp_path):
    monkeypatch.chdir(stranger)
    code, _, err = call("plot", "here.mcap", "--robot", "./robot.yaml")
    assert (tmp_path / "mark").exists()  # it was imported, and then has no such object
    assert code == 2
    assert "has no 'MODEL'" in err


def test_the_current_folder_brings_no_code(tmp_path):
    for name in SHADOWED:
        (tmp_path / f"{name}.py").write_text(HOSTILE.format(mark=str(tmp_path / "mark")))
    (tmp_path / "run.mcap").write_bytes(sample_recording().write())
    for words in (["model", "--json"], ["plot", "run.mcap", "--out", "run.png"]):
        done = subprocess.run(
            [ROOT / "crawler", *words], cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False
        )
        assert done.returncode == 0, done.stderr
        assert not (tmp_path / "mark").exists()


def test_settings_name_no_module(call, tmp_path):
    (tmp_path / "hostile.py").write_text(HOSTILE.format(mark=str(tmp_path / "mark")))
    (tmp_path / "my.yaml").write_text("backend: {estimator: 'hostile:ENTRY'}\n")
    code, _, err = call("run", "--params", "my.yaml", "--backend", "model", "--lockstep", "--duration", "1")
    assert code == 2
    assert "only the section estimator of the robot file may name a module" in err
    assert not (tmp_path / "mark").exists()


def test_a_robot_file_names_its_estimator():
    spec = load_robot(ROBOT)
    own = {**spec.sections, "estimator": {"default": "mine:ENTRY", "mine:OTHER": {}}}
    spec = type(spec)(**{**spec.__dict__, "sections": own})
    assert estimator_name(spec) == "mine:ENTRY"
    assert estimator_name(spec, "mine:OTHER") == "mine:OTHER"
    with pytest.raises(UserError, match="of the robot file"):
        estimator_name(spec, "mine:THIRD")


@pytest.mark.parametrize("name", ["./robot.yaml", "robot.yaml", "../three_link", "", "no_such_robot", "/etc/passwd"])
def test_data_names_installed_robots_alone(name):
    assert check_installed(ROBOT, "it") == ROBOT
    with pytest.raises(UserError, match="it names the robot"):
        check_installed(name, "it")


@pytest.mark.parametrize("name", LIBRARY_SETTINGS)
def test_the_current_folder_configures_no_library(call, tmp_path, name):
    os.mkfifo(tmp_path / name)  # which would also hang whoever opens it
    code, out, err = call("model", "--json")
    assert (code, out) == (2, "")
    assert f"the current folder has a {name}" in err
