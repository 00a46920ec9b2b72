"""The Python of the nodes decides the default physics engine, not that of the launch system."""

import sys

import pytest

from crawler_bringup.stack import node_engines
from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from sim_bridge.physics.engines import installed_engines


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that makes an install whose backends name the given Python."""

    def make(python):
        folder = tmp_path / "lib" / "sim_bridge"
        folder.mkdir(parents=True)
        (folder / "mock_backend").write_text(f"#!{python}\n")
        monkeypatch.setattr(node_engines, "get_package_prefix", lambda name: str(tmp_path))
        node_engines.node_engines.cache_clear()

    yield make
    node_engines.node_engines.cache_clear()


def python_that(tmp_path, says):
    file = tmp_path / "env" / "python3"
    file.parent.mkdir()
    file.write_text(f"#!/bin/sh\n{says}\n")
    file.chmod(0o755)
    return file


def test_the_engine_of_the_nodes_python_is_the_default(install, tmp_path):
    install(python_that(tmp_path, "echo mujoco"))
    assert node_engines.node_engines() == ("mujoco",)
    stack = make_stack(Options())
    assert stack.options.backend == "mujoco"
    assert "PyBullet is not installed" in stack.note


@pytest.mark.parametrize("python", [sys.executable, "/usr/bin/env python3"])
def test_on_one_python_its_own_engines_are_used(install, python):
    install(python)
    assert node_engines.node_engines() == installed_engines()


def test_without_an_answer_this_python_decides(install, tmp_path):
    install(python_that(tmp_path, "exit 3"))
    assert node_engines.node_engines() == installed_engines()
