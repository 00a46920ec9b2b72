"""Whole-system tests: real processes, a domain of their own, deadlines instead of sleeps."""

import sys

import pytest

from crawler_nodes.own_domain import own_domain


@pytest.fixture(autouse=True)
def nobody_else(monkeypatch):
    """Nobody else's nodes: a domain of this test process, which reaches no further than this machine."""
    monkeypatch.setenv("ROS_DOMAIN_ID", str(own_domain()))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


@pytest.fixture
def crawler():
    """The command line, as a list to which arguments are appended."""
    return [sys.executable, "-m", "crawler_cli"]
