"""A process beside a ring, for the tests of who may do what: reads, writes and calls, then says how it went as JSON.

It goes on until its stdin is closed, or, with --heard N, until it has heard N states and done all that it may.
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

from crawler_nodes.client.service_caller import ServiceCaller

PATIENCE = 60.0  # s until there is no answer, and nobody to be found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--heard", type=int, default=0)
    parser.add_argument("--name", default="someone")
    wanted = parser.parse_args()
    rclpy.init(args=[])
    node = Node(wanted.name)
    said: dict[str, Any] = {"heard": 0, "writes": False, "wrote_to": 0, "calls": False, "found": False, "estop": None}

    def hear(_message: JointState) -> None:
        said["heard"] += 1

    node.create_subscription(JointState, "joint_states", hear, 10)
    out = client = None
    asked = False
    with suppress(Exception):  # of the permissions
        out = node.create_publisher(JointState, "joint_commands", 10)
        said["writes"] = True
    with suppress(Exception):
        client = node.create_client(Trigger, "backend/estop")
        said["calls"] = True
    print("ready", flush=True)
    end = time.monotonic() + PATIENCE

    def over() -> bool:
        if not wanted.heard:
            return bool(select.select([sys.stdin], [], [], 0.0)[0])
        done = (client is None or asked) and (out is None or said["wrote_to"] > 0)
        return time.monotonic() > end or (done and said["heard"] >= wanted.heard)

    while not over():
        if out is not None:
            out.publish(JointState(name=["joint_1", "joint_2"], position=[1.0, 1.0]))
            said["wrote_to"] = max(said["wrote_to"], out.get_subscription_count())
        if client is not None and client.service_is_ready():
            said["found"] = True
            asked = wanted.heard > 0
        rclpy.spin_once(node, timeout_sec=0.02)
    if asked:
        caller = ServiceCaller(lambda *_: client, lambda: rclpy.spin_once(node, timeout_sec=0.02))
        call = caller.call(Trigger, "backend/estop", Trigger.Request(), timeout_s=PATIENCE, discovery_s=PATIENCE)
        with suppress(TimeoutError):
            for _ in call:
                pass
        said["estop"] = call.response is not None and call.response.success
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
