"""The publisher that is followed, and how others are noticed and named."""

from functools import partial
from types import SimpleNamespace

import pytest
from rclpy.node import Node
from std_msgs.msg import String

from crawler_nodes import diagnostics
from crawler_nodes.diagnostics import EVENT_DURATION_S
from crawler_nodes.topics import JOINT_COMMANDS, JOINT_STATES
from crawler_nodes.transport.message_source import MAX_SENDER_CHARACTERS
from crawler_nodes.transport.publisher_monitor import PublisherMonitor
from crawler_nodes.transport.source_arbiter import SourceArbiter


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=50.0)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(diagnostics, "time", clock)
    return clock


def test_who_publishes_besides_the_one_is_named_while_it_does_and_for_a_while_after(graph, clock):
    told = []
    node = graph.add(partial(Node, "backend"))
    node.create_publisher(String, "joint_states", 1)
    company = PublisherMonitor(node, {JOINT_STATES: None}, lambda: told.append(company.text))
    graph.spin_until(lambda: company.counts["joint_states"] == 1)
    assert not told
    stranger = graph.add(partial(Node, "stranger"))
    publisher = stranger.create_publisher(String, "joint_states", 1)
    graph.spin_until(lambda: told)
    assert "2 nodes publish joint_states" in told[0]
    assert "/stranger" in told[0]
    stranger.destroy_publisher(publisher)
    graph.spin_until(lambda: company.counts["joint_states"] == 1)
    assert "/stranger" in company.text
    clock.now += EVENT_DURATION_S + 0.1
    assert not company.text


def test_who_speaks_without_being_followed_is_named_by_the_name_that_it_gives(graph, clock):
    told = []
    seat = SourceArbiter()
    company = PublisherMonitor(
        graph.add(partial(Node, "backend")), {JOINT_COMMANDS: seat}, lambda: told.append(company.text)
    )
    assert seat.accept("/controller#1")
    for name, shown in (("/other#2", "/other"), ("x" * 1000, "x" * MAX_SENDER_CHARACTERS)):
        told.clear()
        assert not seat.accept(name)
        graph.spin_until(lambda: told)
        clock.now += 0.1
        assert told[0] == f"joint_commands from {shown} are ignored: /controller is followed"
    assert seat.ignored == 2
