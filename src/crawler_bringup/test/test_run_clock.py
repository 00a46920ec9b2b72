"""One axis of time for a recording: whatever clock a message was stamped by, and in whatever order messages come."""

import pytest
from crawler_interfaces.msg import ContactStateArray
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from crawler_bringup.recorder.run_clock import ReorderBuffer, RunClock

SECOND = 1_000_000_000
WALL = 1_700_000_000 * SECOND


def state(time_ns, sender="/backend#00000000"):
    message = JointState()
    message.header.frame_id = sender
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(time_ns, SECOND)
    return serialize_message(message)


def test_in_a_simulation_nothing_is_of_another_time_than_the_run():
    time = RunClock(simulated=True, clock=lambda: WALL)
    assert time.place(None) == 0
    assert time.place(WALL) == 0
    time.hear(state(5 * SECOND))
    assert time.place(None) == 5 * SECOND
    assert time.place(WALL) == 5 * SECOND  # a node that does not know of the simulated time
    assert time.place(4 * SECOND) == 4 * SECOND
    assert time.place(5 * SECOND + 1) == 5 * SECOND + 1


def test_a_second_backend_does_not_say_what_time_it_is():
    time = RunClock(simulated=True)
    time.hear(state(5 * SECOND))
    time.hear(state(10**6 * SECOND, sender="/other#12345678"))
    assert time.now == 5 * SECOND
    assert time.place(10**6 * SECOND) == 5 * SECOND


def test_in_real_time_it_is_the_wall_clock():
    now = [WALL]
    time = RunClock(simulated=False, clock=lambda: now[0])
    assert time.place(None) == WALL
    time.hear(state(3 * SECOND))
    assert time.place(3 * SECOND) == WALL  # a state that was not stamped
    now[0] += SECOND
    assert time.place(WALL) == WALL


def test_messages_leave_in_the_order_of_their_times():
    order = ReorderBuffer[str]()
    for when in (1, 2, 3):
        order.add(when, "states", b"")
    assert order.turn() == []
    for when, channel in ((1, "commands"), (4, "states"), (3, "commands"), (5, "states")):
        order.add(when, channel, b"")
    left = [(when, channel) for when, channel, _ in order.turn()]
    assert left == [(1, "states"), (1, "commands"), (2, "states"), (3, "states"), (3, "commands")]
    order.add(2, "late", b"")
    order.add(6, "states", b"")
    assert [(when, channel) for when, channel, _ in order.turn()] == [(3, "late"), (4, "states"), (5, "states")]
    assert [when for when, _, _ in order.turn(last=True)] == [6]


@pytest.mark.parametrize("kind", [JointState, ContactStateArray])
def test_where_a_stamp_is_looked_for_in_a_message(kind):
    from crawler_bringup.recorder.recorder_node import STAMPS
    from crawler_nodes.transport.tap import nanoseconds_of

    message = kind()
    message.header.stamp.sec, message.header.stamp.nanosec = 7, 8
    assert nanoseconds_of(serialize_message(message), STAMPS[kind]) == 7 * SECOND + 8
