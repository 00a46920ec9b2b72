"""One axis of time for a recording, for stamps of any clock and messages in any order."""

import pytest
from crawler_interfaces.msg import ContactStateArray
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from crawler_bringup.recorder.reorder_buffer import ReorderBuffer
from crawler_bringup.recorder.run_clock import RunClock
from crawler_core.loop.steady_wall_clock import SteadyWallClock

SECOND = 1_000_000_000
WALL = 1_700_000_000 * SECOND


def state(time_ns, sender="/backend#00000000"):
    message = JointState()
    message.header.frame_id = sender
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(time_ns, SECOND)
    return serialize_message(message)


def test_in_a_simulation_all_messages_have_the_time_of_the_run():
    time = RunClock(simulated=True)
    assert time.timestamp(None) == 0
    assert time.timestamp(WALL) == 0
    time.observe_state(state(5 * SECOND))
    assert time.timestamp(None) == 5 * SECOND
    assert time.timestamp(WALL) == 5 * SECOND  # a node that does not know of the simulated time
    assert time.timestamp(4 * SECOND) == 4 * SECOND
    assert time.timestamp(5 * SECOND + 1) == 5 * SECOND + 1


def test_a_second_backend_does_not_set_the_time():
    time = RunClock(simulated=True)
    time.observe_state(state(5 * SECOND))
    time.observe_state(state(10**6 * SECOND, sender="/other#12345678"))
    assert time.now == 5 * SECOND
    assert time.timestamp(10**6 * SECOND) == 5 * SECOND


def test_in_real_time_it_is_the_wall_clock():
    now = [WALL]
    time = RunClock(False, SteadyWallClock(lambda: now[0], lambda: now[0] - WALL))
    assert time.timestamp(None) == WALL
    time.observe_state(state(3 * SECOND))
    assert time.timestamp(3 * SECOND) == WALL  # a state that was not stamped
    now[0] += SECOND
    assert time.timestamp(WALL) == WALL


def test_in_real_time_the_systems_clock_may_be_set():
    steady, ahead = [0], [0]
    time = RunClock(False, SteadyWallClock(lambda: WALL + steady[0] + ahead[0], lambda: steady[0]))
    ahead[0], steady[0] = SECOND // 2, SECOND
    assert time.timestamp(None) == WALL + SECOND
    assert time.timestamp(WALL + SECOND + ahead[0]) == WALL + SECOND  # a stamp of the system's time
    time.observe_state(state(WALL + SECOND))
    assert time.now == WALL + SECOND
    time.observe_state(state(WALL + SECOND + ahead[0]))  # of a backend that was opened since then
    assert time.now == WALL + SECOND + ahead[0]


def test_messages_are_returned_in_the_order_of_their_times():
    order = ReorderBuffer()
    for when in (1, 2, 3):
        order.add(when, "states", b"")
    assert order.pop_due() == []
    for when, channel in ((1, "commands"), (4, "states"), (3, "commands"), (5, "states")):
        order.add(when, channel, b"")
    left = [(when, channel) for when, channel, _ in order.pop_due()]
    assert left == [(1, "states"), (1, "commands"), (2, "states"), (3, "states"), (3, "commands")]
    order.add(2, "late", b"")
    order.add(6, "states", b"")
    assert [(when, channel) for when, channel, _ in order.pop_due()] == [(3, "late"), (4, "states"), (5, "states")]
    assert [when for when, _, _ in order.pop_all()] == [6]


@pytest.mark.parametrize("kind", [JointState, ContactStateArray])
def test_the_offset_of_the_stamp_in_a_message(kind):
    from crawler_bringup.recorder.recorder_node import stamp_offset
    from crawler_nodes.messages.header import read_stamp_ns

    message = kind()
    message.header.stamp.sec, message.header.stamp.nanosec = 7, 8
    assert read_stamp_ns(serialize_message(message), stamp_offset(kind)) == 7 * SECOND + 8
