"""When a node's diagnostics go out, by a clock that the test holds."""

import copy
from types import SimpleNamespace

import pytest
from builtin_interfaces.msg import Time

from crawler_nodes import diagnostics
from crawler_nodes.diagnostics import ERROR, EVENT_DURATION_S, OK, WARN, DiagnosticsReporter, RecentEvents


class FakeNode:
    """What the reporter needs of a node; `said` is what it has published."""

    def __init__(self):
        self.said, self.timers = [], []

    def get_fully_qualified_name(self):
        return "/left/backend"

    def create_publisher(self, _type, topic, _depth):
        assert topic == "diagnostics"
        return SimpleNamespace(publish=lambda message: self.said.append(copy.deepcopy(message)))

    def create_timer(self, period, callback, clock):
        self.timers.append((period, callback))

    def get_clock(self):
        return SimpleNamespace(now=lambda: SimpleNamespace(to_msg=lambda: Time(sec=42)))


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=50.0)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(diagnostics, "time", clock)
    return clock


@pytest.fixture
def node():
    return FakeNode()


@pytest.fixture
def reporter(node, clock):
    return DiagnosticsReporter(node, hardware_id="three_link")


def words(node):
    return [message.status[0].message for message in node.said]


def test_who_speaks_and_how_things_are_is_in_every_message(node, reporter):
    reporter.set(WARN, "hot", {"temperature": 61.23456789, "joint": "joint_2", "late": 3, "torque": True})
    (message,) = node.said
    (status,) = message.status
    assert message.header.stamp.sec == 42
    assert (status.name, status.hardware_id) == ("left/backend", "three_link")
    assert (status.level, status.message) == (WARN, "hot")
    assert {entry.key: entry.value for entry in status.values} == {
        "temperature": "61.2346",
        "joint": "joint_2",
        "late": "3",
        "torque": "True",
    }


def test_the_newest_word_is_repeated_twice_a_second(node, reporter):
    ((period, repeat),) = node.timers
    assert period == 0.5
    reporter.set(OK, "fine")
    repeat()
    repeat()
    assert words(node) == ["fine"] * 3


def test_what_is_repeated_is_of_the_present(node, clock):
    made: list[DiagnosticsReporter] = []
    made.append(DiagnosticsReporter(node, refresh=lambda: made[0].set(OK, "fine", {"age": clock.now})))
    ((_, repeat),) = node.timers
    for _ in range(2):
        clock.now += 0.5
        repeat()
    assert [message.status[0].values[0].value for message in node.said[-2:]] == ["50.5", "51"]


def test_one_kind_of_event_hides_no_other_and_each_is_told_while_it_is_fresh(clock):
    recent = RecentEvents()
    recent.record("refused", 0, "")
    assert recent.text == ""
    recent.record("refused", 1, "a command has no position.")
    clock.now += 1.0
    recent.record("clamped", 7, "hip is too fast")
    assert recent.text == "hip is too fast; a command has no position"
    clock.now += EVENT_DURATION_S - 0.5
    recent.record("clamped", 7, "hip is too fast")  # nothing new
    assert recent.text == "hip is too fast"
    clock.now += 1.0
    assert recent.text == ""
    recent.record("refused", 2, "a command has no name")
    assert recent.text == "a command has no name"


def test_only_a_change_goes_out_at_once(node, reporter, clock):
    reporter.set(OK, "fine", {"ticks": 1})
    clock.now += 10.0
    reporter.set(OK, "fine", {"ticks": 2})
    assert len(node.said) == 1
    reporter.set(ERROR, "fine")  # the level is a change too
    assert [message.status[0].level for message in node.said] == [OK, ERROR]


def test_changes_in_a_rush_wait_for_the_next_word_which_is_the_newest(node, reporter, clock):
    reporter.set(OK, "fine")
    for k in range(5):
        clock.now += 0.01
        reporter.set(WARN, f"trouble {k}")
    assert words(node) == ["fine"]
    ((_, repeat),) = node.timers
    repeat()
    assert words(node) == ["fine", "trouble 4"]
    clock.now += 0.11
    reporter.set(OK, "fine again")
    assert words(node)[-1] == "fine again"


def test_what_must_be_said_now_is_said_whatever_has_changed(node, reporter):
    reporter.set(OK, "fine")
    reporter.set(OK, "fine", {"ticks": 9}, now=True)
    assert len(node.said) == 2
    assert node.said[-1].status[0].values[0].value == "9"
