"""Detection of a stack that already runs under the same names: two would drive each other's robot."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from crawler_core.errors import UserError
from crawler_nodes.topics import GAIT_REFERENCE, JOINT_COMMANDS, JOINT_STATES, Topic
from crawler_nodes.transport.discovery_server import check_discovery_server
from crawler_nodes.transport.message_source import UNKNOWN_NODE, publisher_nodes

SINGLE_PUBLISHER_TOPICS = (JOINT_STATES, JOINT_COMMANDS, GAIT_REFERENCE)
DISCOVERY_S = 0.8  # in which running nodes are discovered: they announce themselves every 0.3 s (fastdds_2.xml)
POLL_PERIOD_S = 0.01
MIN_POLLS = 10
ERROR_TEXT = "a stack already runs in this namespace ({names}): stop it, {remedy}, or set another ROS_DOMAIN_ID."
DUPLICATE_STACK = ERROR_TEXT.partition(" (")[0]  # by which a process that failed to start is recognised


class DuplicateStackCheck:
    """Discovers a stack in this namespace from now on; other work can be done until the result is needed."""

    def __init__(self, namespace: str = "") -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[], signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("duplicate_check", context=self._context, namespace=namespace)
        self._since = time.monotonic()

    def __enter__(self) -> DuplicateStackCheck:
        return self

    def __exit__(self, *_: object) -> None:
        self._node.destroy_node()
        self._context.try_shutdown()

    def raise_if_duplicate(self, remedy: str, topics: Sequence[Topic] = SINGLE_PUBLISHER_TOPICS) -> None:
        """Raise UserError where a stack runs, or where no node discovers another.

        `remedy` says how to use another namespace. `topics` are those that only nodes of the new stack may publish.
        """
        check_discovery_server(self._node)
        if self._discovered(1, self._since, topics):
            self._discovered(len(topics), time.monotonic(), topics, named=True)
            raise duplicate_stack_error(stack_nodes(self._node, topics), remedy)

    def _discovered(self, count: int, since: float, topics: Sequence[Topic], *, named: bool = False) -> bool:
        """Return whether `count` nodes of a stack are found in time; on a busy machine each poll takes longer."""
        polls = math.ceil((DISCOVERY_S - (time.monotonic() - since)) / POLL_PERIOD_S)
        for _ in range(max(polls, MIN_POLLS)):
            nodes = stack_nodes(self._node, topics)
            if len(_named(nodes) if named else nodes) >= count:
                return True
            time.sleep(POLL_PERIOD_S)
        return False


def stack_nodes(node: Node, topics: Sequence[Topic] = SINGLE_PUBLISHER_TOPICS) -> list[str]:
    """Return the nodes of the stack in the namespace of `node`, by the topics that they publish."""
    return sorted({name for topic in topics for name in publisher_nodes(node, topic)})


def duplicate_stack_error(nodes: list[str], remedy: str) -> UserError:
    """Return the error that names the nodes of the running stack."""
    names = ", ".join(_named(nodes)) or "its nodes are not named yet"
    return UserError(ERROR_TEXT.format(names=names, remedy=remedy))


def _named(nodes: list[str]) -> list[str]:
    return [name for name in nodes if UNKNOWN_NODE not in name]
