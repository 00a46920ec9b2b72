"""Fixtures of whole-system tests: a domain of their own, the command line, and long timeouts."""

import shutil
import sys

import pytest
import yaml
from stack_helpers import DEADLINE_S, set_timeouts

from crawler_cli import __main__ as front_door
from crawler_core.robot.robot_file import robots_directory
from crawler_nodes.testing.fixtures import default_hangup
from crawler_nodes.testing.free_domain_id import free_domain_id

__all__ = ["default_hangup"]


@pytest.fixture(autouse=True, scope="session")  # before the fixtures of a module, which start stacks too
def private_domain():
    """Use a domain of this test process alone, which is limited to this machine."""
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
    """Give all processes of this test long timeouts for their start and end, as a busy machine needs."""
    with set_timeouts():
        yield


@pytest.fixture
def holding_robot(tmp_path):
    """Return the path of a robot file whose torque stays on without commands, as a busy machine needs."""
    directory = tmp_path / "three_link"
    shutil.copytree(robots_directory() / "three_link", directory)
    document = yaml.safe_load((directory / "robot.yaml").read_text())
    document["safety"]["relax_after"] = DEADLINE_S
    (directory / "robot.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    return str(directory / "robot.yaml")


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run the command line in this process, in an empty directory; return exit code, stdout and stderr.

    It saves the start of a process, for commands that end before anything else starts.
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
