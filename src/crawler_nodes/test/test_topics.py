"""The table of topics, beside the one of the documentation."""

import re
from pathlib import Path

from rclpy.qos import DurabilityPolicy

from crawler_nodes.topics import GAIT_REFERENCE, JOINT_STATES, PARAMETER_EVENTS, RECORDED, TOPICS, topics_published_by

ARCHITECTURE = Path(__file__).parents[3] / "docs/architecture.md"


def test_the_architecture_lists_each_topic_with_its_type_and_publisher():
    text = ARCHITECTURE.read_text().split("## Topics")[1].split("\n## ")[0]
    listed = {}
    for names, types, publisher in re.findall(r"^\| (`.*?`) \| (\S.*?) \| (.*?) \|", text, re.MULTILINE):
        listed |= dict.fromkeys(re.findall("`(.*?)`", names), (types, publisher))
    ours = [topic for topic in TOPICS if topic is not PARAMETER_EVENTS]  # every ROS node has it
    assert set(listed) == {topic.name for topic in ours}
    for topic in ours:
        types, publisher = listed[topic.name]
        assert f"{topic.type.__module__.split('.')[0]}/{topic.type.__name__}" in types
        assert publisher == (topic.publisher or "every node")


def test_states_are_subscribed_last_and_late_subscribers_get_latched_messages():
    assert RECORDED[-1] is JOINT_STATES
    assert GAIT_REFERENCE.qos.durability is DurabilityPolicy.TRANSIENT_LOCAL
    assert {topic.publisher for topic in topics_published_by("gait")} == {"gait"}
