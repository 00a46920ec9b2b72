"""Rings that are there already: two under the same names would each drive the robot of the other."""

from __future__ import annotations

import math
import time

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from crawler_core.errors import UserError
from crawler_nodes.transport.message_source import NAMELESS, publishers

TOPICS = ("joint_states", "joint_commands", "gait_reference")  # what only one node of a ring publishes
ANSWER = 0.8  # s within which a newcomer hears of who is there: they say so every 0.3 s, fastdds_2.xml has it
LOOK = 0.01  # s between two looks
FEWEST = 10  # looks
SENTENCE = "a ring is there already, of {names}: end it, {remedy}, or another ROS_DOMAIN_ID."
THERE = SENTENCE.partition(",")[0]  # by which a process's last words are known


class DuplicateStackCheck:
    """Looks for a ring of this namespace from now on. Other things can be done until the answer is wanted."""

    def __init__(self, namespace: str = "") -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[], signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("lookout", context=self._context, namespace=namespace)
        self._since = time.monotonic()

    def __enter__(self) -> DuplicateStackCheck:
        return self

    def __exit__(self, *_: object) -> None:
        self._node.destroy_node()
        self._context.try_shutdown()

    def raise_if_duplicate(self, remedy: str) -> None:
        """Raise UserError where there is one; `remedy` says how a namespace is given."""
        if self._found(1, self._since):
            self._found(len(TOPICS), time.monotonic(), named=True)
            raise already_there(ring_nodes(self._node), remedy)

    def _found(self, count: int, since: float, *, named: bool = False) -> bool:
        """Whether there are so many nodes of a ring. On a busy machine every look takes longer, and so does this."""
        looks = math.ceil((ANSWER - (time.monotonic() - since)) / LOOK)
        for _ in range(max(looks, FEWEST)):
            nodes = ring_nodes(self._node)
            if len(_named(nodes) if named else nodes) >= count:
                return True
            time.sleep(LOOK)
        return False


def ring_nodes(node: Node) -> list[str]:
    """The nodes that make a ring in the namespace of `node`."""
    return sorted({name for topic in TOPICS for name in publishers(node, topic)})


def already_there(nodes: list[str], remedy: str) -> UserError:
    """Two rings cannot have the same names."""
    names = ", ".join(_named(nodes)) or "nodes that have not told their names yet"
    return UserError(SENTENCE.format(names=names, remedy=remedy))


def _named(nodes: list[str]) -> list[str]:
    return [name for name in nodes if NAMELESS not in name]
