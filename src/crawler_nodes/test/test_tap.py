"""Emptying queues in bulk: nothing is lost that the queue can hold, and nothing is deserialised on the way."""

import pytest
from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from crawler_nodes.messages.header import read_stamp_s, set_stamp
from crawler_nodes.topics import Topic
from crawler_nodes.transport.tap import Tap


@pytest.fixture
def listener(graph):
    """A node that nobody spins."""
    node = Node("listener", context=graph.context, namespace=graph.namespace)
    graph.nodes.append(node)
    return node


@pytest.fixture
def speaker(graph):
    return graph.add(lambda **options: Node("speaker", **options))


def state(time_ns):
    message = JointState(name=["hip"], position=[time_ns * 1e-9])
    set_stamp(message.header.stamp, time_ns)
    return message


def connected(graph, publisher):
    graph.spin_until(publisher.get_subscription_count)


def test_each_message_comes_once_in_order_and_is_counted(graph, listener, speaker):
    heard = []
    tap = Tap(listener, [(Topic("states", JointState), lambda data, _info: heard.append(data))])
    out = speaker.create_publisher(JointState, "states", 1000)
    connected(graph, out)
    sent = [state(k * 5_000_000) for k in range(500)]
    for message in sent:
        out.publish(message)
    count = 0

    def all_came():
        nonlocal count
        count += tap.drain()
        return count >= len(sent)

    graph.spin_until(all_came)
    assert tap.drain() == 0
    assert count == len(sent)
    assert [deserialize_message(data, JointState) for data in heard] == sent


def test_a_latched_topic_tells_what_was_said_before(graph, listener, speaker):
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    speaker.create_publisher(String, "description", latched).publish(String(data="a robot"))
    heard = []
    tap = Tap(
        listener,
        [(Topic("description", String, latched=True), lambda data, _: heard.append(deserialize_message(data, String)))],
    )
    graph.spin_until(tap.drain)
    assert heard == [String(data="a robot")]


@pytest.mark.parametrize(
    ("sec", "nanosec"), [(0, 0), (12, 345_000_000), (2_000_000_000, 999_999_999), (-1, 500_000_000)]
)
def test_a_stamp_is_read_from_the_bytes(sec, nanosec):
    message = JointState(name=["hip"])
    message.header.stamp = Time(sec=sec, nanosec=nanosec)
    assert read_stamp_s(serialize_message(message)) == pytest.approx(sec + 1e-9 * nanosec, abs=1e-6)


def test_a_tapped_node_must_not_be_spun(graph, listener, speaker):
    Tap(listener, [(Topic("states", JointState), lambda data, _info: None)])
    out = speaker.create_publisher(JointState, "states", 10)
    connected(graph, out)
    graph.executor.add_node(listener)
    out.publish(state(0))
    with pytest.raises(AssertionError, match="drained, not spun"):
        graph.spin_until(lambda: False)
