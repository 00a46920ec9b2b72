"""The recorder gets the first message and the last one."""

import math
import threading

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosbags.highlevel import AnyReader
from sensor_msgs.msg import JointState

from crawler_bringup.recorder import recorder_node
from crawler_bringup.recorder.recorder_node import RecorderNode, record


@pytest.fixture
def recorder(graph, tmp_path):
    overrides = [Parameter("directory", value=str(tmp_path / "recording")), Parameter("simulated", value=True)]
    node = RecorderNode(context=graph.context, namespace=graph.namespace, parameter_overrides=overrides)
    graph.nodes.append(node)  # not spun
    return node


def test_topics_that_start_time_are_subscribed_last(recorder):
    topics = [subscription.topic_name.rpartition("/")[2] for subscription in recorder.subscriptions]
    assert topics[-2:] == ["joint_commands", "joint_states"]
    assert {"odom", "contact_states", "contact_estimates", "controller_state"} < set(topics[:-2])
    recorder.finish()


def test_it_ends_when_the_publishers_have_gone(graph, recorder, monkeypatch, tmp_path):
    monkeypatch.setattr(recorder_node, "SHUTDOWN_GRACE_S", math.inf)
    publisher = graph.add(lambda **options: Node("publisher", **options))
    out = publisher.create_publisher(JointState, "joint_states", 1000)
    graph.spin_until(lambda: out.get_subscription_count() and recorder.count_publishers("joint_states"))
    ends = threading.Thread(target=record, args=(recorder, lambda: True), daemon=True)
    ends.start()
    for _ in range(500):
        out.publish(JointState(name=["hip"]))
    graph.spin_until(lambda: recorder.count >= 500)
    assert ends.is_alive()
    publisher.destroy_publisher(out)
    ends.join(60.0)
    assert not ends.is_alive()
    with AnyReader([tmp_path / "recording"]) as reader:
        counts = {connection.topic.rpartition("/")[2]: connection.msgcount for connection in reader.connections}
    assert counts["joint_states"] == 500
