"""Whose time is believed, by a clock that the test holds."""

from types import SimpleNamespace

import pytest
from rosgraph_msgs.msg import Clock

from crawler_nodes.transport.clock_guard import MAX_STEP_S, TAKEOVER_S, ClockGuard


@pytest.fixture
def told():
    return []


@pytest.fixture
def steady():
    return SimpleNamespace(now=10.0)


@pytest.fixture
def guard(told, steady):
    return ClockGuard(lambda message: told.append(message.clock.sec + message.clock.nanosec * 1e-9), lambda: steady.now)


def say(guard, seconds):
    message = Clock()
    message.clock.sec, message.clock.nanosec = int(seconds // 1), round(seconds % 1 * 1e9)
    guard.accept(message)


def test_a_stranger_beside_a_simulation_is_not_believed_whatever_it_tells(guard, told, steady):
    for tick in range(400):
        steady.now += 0.005
        say(guard, 100.0 + tick * 0.005)
        for other in (0.0, 95.0, 110.0, 1.9e9, -3.0):
            say(guard, other)
    assert told == pytest.approx([100.0 + tick * 0.005 for tick in range(400)])
    assert guard.ignored == 5 * 400


def test_a_simulation_that_begins_again_is_followed_once_the_old_time_is_told_no_more(guard, told, steady):
    say(guard, 50.0)
    for tick in range(100):
        steady.now += 0.005
        say(guard, tick * 0.005)
    assert told[0] == 50.0
    assert told[1] == pytest.approx(TAKEOVER_S, abs=0.011)
    assert told[-1] == pytest.approx(99 * 0.005)


def test_a_node_that_was_held_up_believes_the_time_that_it_finds(guard, told, steady):
    say(guard, 5.0)
    steady.now += 5.0
    say(guard, 5.0 + 5.0 * MAX_STEP_S)
    assert told == [5.0, 10.0]
