"""A process outside a stack that reads, writes and calls, then prints its results as JSON.

It runs until its stdin is closed. With --states N it runs until it has received N states and has published and called,
where it is permitted to.
"""

import argparse
import json
import select
import sys
import time
from contextlib import suppress
from typing import Any

import rclpy
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

TIMEOUT_S = 60.0  # of discovery and of a response


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--states", type=int, default=0)
    parser.add_argument("--name", default="external")
    arguments = parser.parse_args()
    rclpy.init(args=[])
    node = Node(arguments.name)
    result: dict[str, Any] = {
        "states": 0,
        "can_publish": False,
        "subscribers": 0,
        "can_call": False,
        "service_found": False,
        "estop": None,
    }

    def on_state(_message: JointState) -> None:
        result["states"] += 1

    node.create_subscription(JointState, "joint_states", on_state, 10)
    publisher = client = call = None
    with suppress(Exception):  # of the permissions
        publisher = node.create_publisher(JointState, "joint_commands", 10)
        result["can_publish"] = True
    with suppress(Exception):
        client = node.create_client(Trigger, "backend/estop")
        result["can_call"] = True
    print("ready", flush=True)
    end = time.monotonic() + TIMEOUT_S

    def is_over() -> bool:
        if not arguments.states:
            return bool(select.select([sys.stdin], [], [], 0.0)[0])
        done = (client is None or call is not None) and (publisher is None or result["subscribers"] > 0)
        return time.monotonic() > end or (done and result["states"] >= arguments.states)

    while not is_over():
        if publisher is not None:
            publisher.publish(JointState(name=["joint_1", "joint_2"], position=[1.0, 1.0]))
            result["subscribers"] = max(result["subscribers"], publisher.get_subscription_count())
        if client is not None and client.service_is_ready():
            result["service_found"] = True
            if arguments.states and call is None:
                call = client.call_async(Trigger.Request())
        rclpy.spin_once(node, timeout_sec=0.02)
    if call is not None:
        end = time.monotonic() + TIMEOUT_S
        while not call.done() and time.monotonic() < end:
            rclpy.spin_once(node, timeout_sec=0.02)
        result["estop"] = call.done() and call.result().success
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
