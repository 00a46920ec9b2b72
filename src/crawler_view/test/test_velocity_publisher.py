"""Driving from the page: what is published, and what happens when the page falls silent."""

from typing import Any

from crawler_view.server import velocity_publisher
from crawler_view.server.velocity_publisher import DRIVE_TIMEOUT_S, VelocityPublisher


class Topic:
    """Stands in for a node and for its publisher of cmd_vel."""

    def __init__(self, monkeypatch):
        self.sent, self.publishers = [], 0
        monkeypatch.setattr(velocity_publisher, "create_publisher", self.create)

    def create(self, _node, _topic):
        self.publishers += 1
        return self

    def destroy_publisher(self, _publisher):
        self.publishers -= 1

    def publish(self, twist):
        self.sent.append((twist.linear.x, twist.angular.z))


def test_a_page_that_falls_silent_stops_the_robot_once(monkeypatch):
    topic: Any = Topic(monkeypatch)
    drive = VelocityPublisher(topic)
    drive.take({"on": True}, 0.0)
    assert (topic.publishers, topic.sent) == (1, [])  # to open the pad is no command
    drive.take({"forward": 0.1, "yaw": -0.5}, 1.0)
    drive.check(1.0 + 0.9 * DRIVE_TIMEOUT_S)
    assert topic.sent == [(0.1, -0.5)]
    for late in (1.1, 5.0, 9.0):
        drive.check(1.0 + late * DRIVE_TIMEOUT_S)
    assert topic.sent == [(0.1, -0.5), (0.0, 0.0)]


def test_letting_go_and_closing_the_pad_stop_the_robot(monkeypatch):
    topic: Any = Topic(monkeypatch)
    drive = VelocityPublisher(topic)
    drive.take({"forward": 0.1, "yaw": 0}, 1.0)
    drive.take({"forward": 0, "yaw": 0}, 1.1)
    drive.check(9.0)
    assert topic.sent == [(0.1, 0.0), (0.0, 0.0)]
    drive.take({"forward": 0.1, "yaw": 0}, 10.0)
    drive.take({"on": False}, 10.1)
    drive.check(19.0)
    assert topic.sent[2:] == [(0.1, 0.0), (0.0, 0.0)]
    assert topic.publishers == 0  # nobody drives: the gait's own motion is not touched


def test_velocities_that_are_no_numbers_are_dropped(monkeypatch):
    topic: Any = Topic(monkeypatch)
    drive = VelocityPublisher(topic)
    for forward in (None, "1", float("nan"), float("inf"), [1]):
        drive.take({"forward": forward, "yaw": 0.0}, 1.0)
    assert topic.sent == []
