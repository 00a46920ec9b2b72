"""Whole-system tests: real processes, a domain of their own, deadlines instead of sleeps."""

import shutil
import sys

import pytest
import yaml
from stack_helpers import DEADLINE_S, set_timeouts

from crawler_cli import __main__ as front_door
from crawler_core.robot.robot_file import robots_directory
from crawler_nodes.testing.free_domain_id import free_domain_id


@pytest.fixture(autouse=True, scope="session")  # before the fixtures of a module, which start rings too
def private_domain():
    """Nobody else's nodes: a domain of this test process, which reaches no further than this machine."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain_id()))
        monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        yield


@pytest.fixture
def crawler():
    """The command line, as a list to which arguments are appended."""
    return [sys.executable, "-m", "crawler_cli"]


@pytest.fixture
def long_timeouts():
    """What this test starts may take its time to begin and to end, as on a machine that is busy."""
    with set_timeouts():
        yield


@pytest.fixture
def holding_robot(tmp_path):
    """The path of a robot file whose torque stays on although a busy machine sends no command for a while."""
    directory = tmp_path / "three_link"
    shutil.copytree(robots_directory() / "three_link", directory)
    document = yaml.safe_load((directory / "robot.yaml").read_text())
    document["safety"]["relax_after"] = DEADLINE_S
    (directory / "robot.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    return str(directory / "robot.yaml")


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Runs the command line in this process, in an empty directory; returns the exit code and what was printed.

    It saves the seconds that a process takes to begin, for what ends before anything else starts.
    """
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["crawler", *words])
        try:
            code = front_door.main()
        except SystemExit as end:  # argparse's
            code = end.code
        return code, *capsys.readouterr()

    return run
