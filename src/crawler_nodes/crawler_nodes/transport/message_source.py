"""Names of the publishers of a topic.

Every node puts its instance name in the `frame_id` of its messages. A command also names the backend whose state it
answers: "<backend> <controller>".
"""

from __future__ import annotations

import secrets

from rclpy.node import Node

from crawler_nodes.topics import Topic

MAX_SENDER_CHARACTERS = 100  # of a sender's name in a report: a foreign sender may use any
UNKNOWN_NODE = "_NODE_NAME_UNKNOWN_"  # the middleware's name for a node that is being discovered or removed


def instance_name(node: Node) -> str:
    """Return a name that no other process has, such as /left/controller#1f2e3d4c."""
    return f"{node.get_fully_qualified_name()}#{secrets.token_hex(4)}"


def sender_node(sender: str) -> str:
    """Return the node in an instance name, for a person."""
    return sender.partition("#")[0][:MAX_SENDER_CHARACTERS] or "a sender without a name"


def publisher_nodes(node: Node, topic: Topic) -> list[str]:
    """Return the nodes that publish a topic, sorted; a node with two publishers is listed twice."""
    found = node.get_publishers_info_by_topic(topic.name)
    return sorted(f"{one.node_namespace.rstrip('/')}/{one.node_name}" for one in found)
