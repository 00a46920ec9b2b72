"""A check of the discovery server that the environment names: without it no node discovers another."""

from __future__ import annotations

import os
import time

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from crawler_core.errors import UserError, quoted

SERVER_VARIABLE = "ROS_DISCOVERY_SERVER"
ANSWER_TIMEOUT_S = 3.0
POLL_PERIOD_S = 0.02
MIN_POLLS = 20  # on a busy machine each poll takes longer


def check_discovery_server(node: Node) -> None:
    """Return once `node` and another one have discovered each other; at once where the environment names no server.

    Raises UserError where they do not in time.
    """
    address = os.environ.get(SERVER_VARIABLE, "").strip()
    if not address:
        return
    context = rclpy.Context()
    rclpy.init(context=context, args=[], signal_handler_options=SignalHandlerOptions.NO)
    probe = rclpy.create_node(f"discovery_check_{os.getpid()}", context=context)
    end, polls = time.monotonic() + ANSWER_TIMEOUT_S, 0
    try:
        while time.monotonic() < end or polls < MIN_POLLS:
            if probe.get_name() in node.get_node_names():
                return
            polls += 1
            time.sleep(POLL_PERIOD_S)
    finally:
        probe.destroy_node()
        context.try_shutdown()
    raise UserError(
        f"the discovery server ROS_DISCOVERY_SERVER = {quoted(address)} does not answer, and without it no node "
        f"discovers another: start it ('fastdds discovery -i 0'), correct the address, or unset {SERVER_VARIABLE}."
    )
