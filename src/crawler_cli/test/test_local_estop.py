"""The emergency stop without DDS: its words, its answers, and whom it obeys."""

import itertools
import json
import os

import pytest

from crawler_cli.local_estop import stop_at_once
from crawler_nodes.transport import estop_socket
from crawler_nodes.transport.estop_socket import EstopSocket

DOMAIN = str(1000 + os.getpid())  # of no stack
_domains = itertools.count()


class Stacks:
    """Stand-ins for the backends of some stacks."""

    def __init__(self):
        self.domain = f"{DOMAIN}{next(_domains)}"
        self.stopped, self.sockets = [], []

    def add(self, namespace, done=True, seen=()):
        def estop():
            self.stopped.append(namespace)
            return done, "stopped" if done else "the bus is off", [namespace, *seen]

        self.sockets.append(EstopSocket(int(self.domain), f"/{namespace}", estop))


@pytest.fixture
def stacks():
    made = Stacks()
    yield made
    for one in made.sockets:
        one.close()


def test_other_commands_and_no_stack_are_left_to_the_command_itself(stacks, capsys):
    for words in (["steer", "stop"], ["run"], [], ["steer", "estop", "now"], ["steer", "estop"]):
        assert stop_at_once(words, stacks.domain) is None
    stacks.add("")
    assert stop_at_once(["steer", "estop", "--namespace"], stacks.domain) is None
    assert stop_at_once(["steer", "estop"], "nonsense") is None
    assert (stacks.stopped, capsys.readouterr().out) == ([], "")


def test_all_stacks_stop_or_the_named_one(stacks, capsys):
    stacks.add("first")
    assert stop_at_once(["steer", "estop"], stacks.domain) == 0
    assert capsys.readouterr().out == "stopped\n"
    stacks.add("second", done=False)
    assert stop_at_once(["steer", "estop", "--json", "--namespace=/first"], stacks.domain) == 0
    assert json.loads(capsys.readouterr().out) == {
        "action": "estop",
        "namespace": "first",
        "done": True,
        "message": "stopped",
    }
    assert stop_at_once(["steer", "estop"], stacks.domain) == 1
    assert capsys.readouterr().err in (
        "crawler: first: stopped; second: the bus is off\n",
        "crawler: second: the bus is off; first: stopped\n",
    )
    assert sorted(stacks.stopped) == ["first", "first", "first", "second"]


def test_a_stack_elsewhere_is_left_to_the_command_after_those_here_have_stopped(stacks):
    stacks.add("here", seen=["there"])
    assert stop_at_once(["steer", "estop"], stacks.domain) is None
    assert stacks.stopped == ["here"]
    assert stop_at_once(["steer", "estop", "--namespace", "here"], stacks.domain) == 0


def test_processes_of_other_users_are_neither_obeyed_nor_believed(stacks, monkeypatch):
    stacks.add("")
    monkeypatch.setattr(estop_socket, "_peer_user", lambda _: os.getuid() + 1)
    assert stop_at_once(["steer", "estop"], stacks.domain) is None
    assert stacks.stopped == []


def test_a_stop_that_fails_is_answered_and_the_next_one_too(stacks, capsys):
    def fail():
        raise RuntimeError("no bus")

    stacks.sockets.append(EstopSocket(int(stacks.domain), "/", fail))
    for _ in range(2):
        assert stop_at_once(["steer", "estop"], stacks.domain) == 1
        assert "the emergency stop failed: RuntimeError('no bus')" in capsys.readouterr().err
