"""Speed of the control loop, beside the ping-pong of plain rclpy and the backend alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.options import Options
from crawler_core.robot.robot_file import default_robot
from crawler_nodes.client.stack_monitor import StackMonitor
from crawler_nodes.messages.header import read_stamp_s
from crawler_nodes.topics import GROUND_TRUTH
from crawler_testing.bench.backend_ticks import RATE_HZ, measure_backend
from crawler_testing.bench.latency import Latency
from crawler_testing.bench.ping_pong import measure_ping_pong, start_process
from crawler_testing.fixtures.running_stack import RunningStack
from sim_bridge.physics.engines import installed_engines

REAL_TIME_RATE_HZ = 200.0
START_TIMEOUT_S = 60.0
WARMUP_S = 1.0  # of simulated time
MOVED_RAD = 1e-4


def measure_lockstep(backend: str, seconds: float) -> float:
    """Return ticks per second of the whole stack in lockstep."""
    settings = {"lockstep": True, "real_time_factor": 0.0, "rate": RATE_HZ, "odom_rate": 10.0}
    marks: list[tuple[float, float]] = []  # wall time and simulated time in s

    def on_odometry(data: bytes, info: dict[str, int]) -> None:
        marks.append((info["source_timestamp"] * 1e-9, read_stamp_s(data)))

    options = Options(backend=backend, settings={"backend": settings})
    with RunningStack(options, [(GROUND_TRUTH, on_odometry)], logged=False) as stack:
        stack.wait_until(lambda: bool(marks) and marks[-1][1] > WARMUP_S, START_TIMEOUT_S)
        marks.clear()
        stack.wait(seconds)
        (wall_0, time_0), (wall_1, time_1) = marks[0], marks[-1]
        return (time_1 - time_0) * RATE_HZ / (wall_1 - wall_0)


def measure_echo(seconds: float) -> dict[str, float]:
    """Return the latency of the ping-pong at the rate of the stack."""
    latency = Latency("ping", "pong")
    with (
        StackMonitor(latency.topics) as monitor,
        start_process("pong"),
        start_process("ping", seconds, REAL_TIME_RATE_HZ),
    ):
        monitor.wait(lambda: latency.microseconds, START_TIMEOUT_S)
        latency.microseconds.clear()
        monitor.wait(lambda: False, seconds - 1.0)
    return latency.percentiles("echo_question_to_answer_")


def measure_real_time(seconds: float) -> dict[str, Any]:
    """Return the latency from state to command in real time, memory, and the time until the robot moves."""
    latency = Latency("joint_states", "joint_commands")
    with RunningStack(Options(settings={"backend": {"rate": REAL_TIME_RATE_HZ}}), latency.topics) as stack:
        stack.wait_until(lambda: stack.log.states > 0, START_TIMEOUT_S)
        first_state = time.perf_counter() - stack.start_time
        home = stack.log.joints[0][1]
        stack.wait_until(lambda: abs(stack.log.joints[-1][1][0] - home[0]) > MOVED_RAD, START_TIMEOUT_S)
        first_motion = time.perf_counter() - stack.start_time
        latency.microseconds.clear()
        stack.wait(seconds)
        memory = stack.memory()
        counters = {key: int(stack.log.status.backend.get(key, 0)) for key in ("ticks", "late_ticks", "overruns")}
    return {
        **latency.percentiles("state_to_command_"),
        "first_state_s": first_state,
        "first_motion_s": first_motion,
        "memory_MB": memory,
        **counters,
    }


def measure(seconds: float, rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Measure everything; compared numbers alternate, and each is the median of its rounds."""
    measured: dict[str, list[float]] = {}

    def add(key: str, value: float) -> None:
        measured.setdefault(key, []).append(value)

    simulations = ("model", *installed_engines())
    for i in range(1, rounds + 1):
        log(f"round {i} of {rounds}: bare ping-pong")
        for key, value in measure_ping_pong(seconds).items():
            add(f"bare_{key}", value)
        for backend in simulations:
            log(f"round {i} of {rounds}: {backend} in lockstep, then alone")
            add(f"{backend}_lockstep_ticks_per_s", measure_lockstep(backend, seconds))
            add(f"{backend}_alone_ticks_per_s", measure_backend(backend, default_robot(), seconds))
    log(f"latency at {REAL_TIME_RATE_HZ:g} Hz")
    result: dict[str, Any] = {key: float(np.median(values)) for key, values in measured.items()}
    result |= measure_echo(2 * seconds) | measure_real_time(2 * seconds)
    for backend in simulations:
        ticks = result[f"{backend}_lockstep_ticks_per_s"]
        result[f"{backend}_lockstep_over_bare"] = ticks / result["bare_round_trips_per_s"]
    return result


def add_rows(table: Any, result: dict[str, Any]) -> None:
    trips = result["bare_round_trips_per_s"]
    for backend in (name for name in BACKENDS if f"{name}_lockstep_ticks_per_s" in result):
        ticks, alone = result[f"{backend}_lockstep_ticks_per_s"], result[f"{backend}_alone_ticks_per_s"]
        bare = f"bare ping-pong {trips:.0f}/s"
        table.add_row(f"control loop on {backend}, lockstep", f"{ticks:.0f} ticks/s", bare, f"{ticks / trips:.2f}")
        table.add_row("", "", f"{backend} alone {alone:.0f}/s", f"{ticks / alone:.2f}")
    for p in ("p50", "p99"):
        loop, echo = result[f"state_to_command_{p}_us"], result[f"echo_question_to_answer_{p}_us"]
        table.add_row(f"state to command, {p}", f"{loop:.0f} us", f"bare echo {echo:.0f} us", f"{loop / echo:.2f}")
    p50, p99 = result["bare_round_trip_p50_us"], result["bare_round_trip_p99_us"]
    table.add_row("bare round trip, p50 and p99", "", f"{p50:.0f}, {p99:.0f} us")
    table.add_row("start to first state", f"{result['first_state_s']:.2f} s")
    table.add_row("start to first motion", f"{result['first_motion_s']:.2f} s")
    for name, megabytes in result["memory_MB"].items():
        table.add_row(f"memory of {name}", f"{megabytes:.0f} MB")
    late = f"{result['late_ticks']} late, {result['overruns']} overrun"
    table.add_row(f"real time at {REAL_TIME_RATE_HZ:g} Hz", f"{result['ticks']} ticks", late)
