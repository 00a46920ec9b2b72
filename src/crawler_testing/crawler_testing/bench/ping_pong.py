"""The yardstick: two processes that send one JointState to and fro with plain rclpy, and nothing else.

`python -m crawler_testing.bench.ping_pong pong` answers; `... ping SECONDS [HZ]` asks and prints its result as JSON. Without
HZ the next question follows the answer at once; with it questions go out at that rate, as a paced backend's states do.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

NAMES = ["joint_1", "joint_2"]


class Pong(Node):
    """Answers every state with a command that carries its stamp."""

    def __init__(self) -> None:
        super().__init__("pong")
        self._out = self.create_publisher(JointState, "pong", 10)
        self._answer = JointState(name=NAMES, position=[1.0, 2.0], velocity=[3.0, 4.0])
        self.create_subscription(JointState, "ping", self._on_ping, 10)

    def _on_ping(self, message: JointState) -> None:
        self._answer.header.stamp = message.header.stamp
        self._out.publish(self._answer)


class Ping(Node):
    """Asks, and takes the time."""

    def __init__(self, hz: float) -> None:
        super().__init__("ping")
        self._out = self.create_publisher(JointState, "ping", 10)
        self._question = JointState(name=NAMES, position=[1.0, 2.0], velocity=[3.0, 4.0], effort=[5.0, 6.0])
        self._paced = hz > 0.0
        self.count = 0
        self.trips: list[float] = []
        self.create_subscription(JointState, "pong", self._on_pong, 10)
        self.create_timer(1.0 / hz if self._paced else 0.2, self.ask)

    def ask(self) -> None:
        if not self._paced and self.count and time.perf_counter() - self._asked < 0.2:
            return
        self._ask()

    def _ask(self) -> None:
        self.count += 1
        self._question.header.stamp.sec = self.count
        self._asked = time.perf_counter()
        self._out.publish(self._question)

    def _on_pong(self, message: JointState) -> None:
        if message.header.stamp.sec != self.count:
            return
        self.trips.append(time.perf_counter() - self._asked)
        if not self._paced:
            self._ask()


def main(words: list[str]) -> None:
    rclpy.init()
    executor = SingleThreadedExecutor()
    try:
        if words[0] == "pong":
            executor.add_node(Pong())
            executor.spin()
        else:
            ping = Ping(float(words[2]) if len(words) > 2 else 0.0)
            executor.add_node(ping)
            print(json.dumps(_ask_for(ping, executor, float(words[1]))))
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


def _ask_for(ping: Ping, executor: SingleThreadedExecutor, seconds: float) -> dict[str, Any]:
    start = time.perf_counter()
    while not ping.trips and time.perf_counter() - start < 20.0:
        executor.spin_once(timeout_sec=0.2)
    ping.trips.clear()
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        executor.spin_once(timeout_sec=0.2)
    wall = time.perf_counter() - start
    trips = np.array(ping.trips) * 1e6
    return {
        "round_trips_per_s": len(trips) / wall,
        "round_trip_p50_us": float(np.percentile(trips, 50)),
        "round_trip_p99_us": float(np.percentile(trips, 99)),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
