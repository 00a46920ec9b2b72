"""Whole-system tests: real processes, a domain of their own, deadlines instead of sleeps."""

import os
import sys

import pytest


@pytest.fixture(autouse=True)
def own_domain(monkeypatch):
    """Nobody else's nodes: the domain comes from the test run, the reach is this machine."""
    monkeypatch.setenv("ROS_DOMAIN_ID", os.environ.get("ROS_DOMAIN_ID", str(1 + os.getpid() % 100)))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


@pytest.fixture
def crawler():
    """The command line, as a list to which arguments are appended."""
    return [sys.executable, "-m", "crawler_cli"]
