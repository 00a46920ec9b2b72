"""Reference for the control loop: two processes that exchange one JointState with plain rclpy.

`python -m crawler_testing.bench.ping_pong pong` answers. `... ping SECONDS [HZ]` asks, and prints its result as JSON.
With HZ it asks at that rate, like a backend in real time; otherwise each answer is followed by the next question.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

NAMES = ["joint_1", "joint_2"]
RETRY_S = 0.2  # after which a lost question is asked again
DISCOVERY_TIMEOUT_S = 20.0


class Pong(Node):
    """Answers every state with a command that has its stamp."""

    def __init__(self) -> None:
        super().__init__("pong")
        self._publisher = self.create_publisher(JointState, "pong", 10)
        self._answer = JointState(name=NAMES, position=[1.0, 2.0], velocity=[3.0, 4.0])
        self.create_subscription(JointState, "ping", self._on_ping, 10)

    def _on_ping(self, message: JointState) -> None:
        self._answer.header.stamp = message.header.stamp
        self._publisher.publish(self._answer)


class Ping(Node):
    """Publishes states and measures the time until each answer."""

    def __init__(self, hz: float) -> None:
        super().__init__("ping")
        self._publisher = self.create_publisher(JointState, "ping", 10)
        self._state = JointState(name=NAMES, position=[1.0, 2.0], velocity=[3.0, 4.0], effort=[5.0, 6.0])
        self._paced = hz > 0.0
        self.count = 0
        self.round_trips: list[float] = []  # s
        self.create_subscription(JointState, "pong", self._on_pong, 10)
        self.create_timer(1.0 / hz if self._paced else RETRY_S, self._on_timer)

    def measure(self, executor: SingleThreadedExecutor, seconds: float) -> dict[str, Any]:
        """Return the rate of round trips and their percentiles, from the first answer on."""
        start = time.perf_counter()
        while not self.round_trips and time.perf_counter() - start < DISCOVERY_TIMEOUT_S:
            executor.spin_once(timeout_sec=RETRY_S)
        self.round_trips.clear()
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            executor.spin_once(timeout_sec=RETRY_S)
        wall = time.perf_counter() - start
        microseconds = np.array(self.round_trips) * 1e6
        return {
            "round_trips_per_s": len(microseconds) / wall,
            "round_trip_p50_us": float(np.percentile(microseconds, 50)),
            "round_trip_p99_us": float(np.percentile(microseconds, 99)),
        }

    def _on_timer(self) -> None:
        if self._paced or not self.count or time.perf_counter() - self._sent >= RETRY_S:
            self._send()

    def _send(self) -> None:
        self.count += 1
        self._state.header.stamp.sec = self.count
        self._sent = time.perf_counter()
        self._publisher.publish(self._state)

    def _on_pong(self, message: JointState) -> None:
        if message.header.stamp.sec == self.count:
            self.round_trips.append(time.perf_counter() - self._sent)
            if not self._paced:
                self._send()


@contextmanager
def start_process(*words: object) -> Iterator[subprocess.Popen[str]]:
    """Run one side as a process until the end of the context."""
    command = [sys.executable, "-P", "-m", "crawler_testing.bench.ping_pong", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def measure_ping_pong(seconds: float) -> dict[str, float]:
    """Measure round trips between two processes, as many as possible."""
    with start_process("pong"), start_process("ping", seconds) as ping:
        output, _ = ping.communicate()
        return json.loads(output)


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
            print(json.dumps(ping.measure(executor, float(words[1]))))
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except RuntimeError:  # a signal has shut the context down between two waits
        if rclpy.ok():
            raise
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])
