"""What the ring does per second, beside what bounds it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from crawler_bringup.stack.stack import BACKENDS, Options
from crawler_core.loop.backend_settings import robots_own
from crawler_core.robot.robot_file import default_robot, load_robot
from crawler_core.types import JointCommand
from crawler_nodes.client.stack_monitor import StackMonitor
from crawler_nodes.run_log.log import Topics
from crawler_nodes.transport.tap import Topic, stamp_of
from crawler_testing.bench.benchmark_part import Part
from crawler_testing.bench.children import bare, bare_process
from crawler_testing.fixtures.running_stack import RunningStack
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.transitions.hold import Hold
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
from gait_generators.transitions.transition import plan_transition
from sim_bridge.physics.engines import installed_engines

RATE = 500.0  # Hz of the lockstep runs
PACED = 200.0  # Hz of the latency runs
MOST = 240.0  # s of motion prepared for a backend alone
LONG_AGO = 60.0  # s to wait for a start


def raw_ticks(backend: str, seconds: float) -> float:
    """Ticks per second of a backend alone: apply, advance, observe in a plain loop, without ROS."""
    entry = BACKENDS[backend]
    spec = load_robot(default_robot())
    body = entry.backend(spec, entry.settings(**robots_own(spec, backend, entry.settings)), 1.0 / RATE)
    body.open()
    gait = make_gait(spec, None, {})
    home = np.array([joint.home for joint in spec.actuated])
    rest = Hold(home)
    motion = plan_transition(spec, rest, PhaseShiftedGait.after(spec, rest, gait, 0.0), 0.0, gait.period)
    ticks = motion.sample(np.arange(1, round(MOST * RATE)) / RATE)
    none = np.full(len(home), np.nan)
    commands = [JointCommand(q, v, none) for q, v in zip(ticks.position, ticks.velocity, strict=True)]
    count, start = 0, time.perf_counter()
    while (wall := time.perf_counter() - start) < seconds:
        if count == len(commands):
            break
        body.apply(commands[count])
        body.advance(1.0 / RATE)
        body.observe()
        count += 1
    body.close()
    return count / wall


def lockstep(backend: str, seconds: float) -> float:
    """Ticks per second of the whole ring in lockstep."""
    settings = {"lockstep": True, "real_time_factor": 0.0, "rate": RATE, "odom_rate": 10.0}
    marks: list[tuple[float, float]] = []  # wall time, simulated time

    def on_odometry(data: bytes, info: dict[str, int]) -> None:
        marks.append((info["source_timestamp"] * 1e-9, stamp_of(data)))

    options = Options(backend=backend, settings={"backend": settings})
    with RunningStack(options, [(Topic("odom", Odometry), on_odometry)], logged=False) as ring:
        ring.watch(lambda: bool(marks) and marks[-1][1] > 1.0, LONG_AGO)
        marks.clear()
        ring.watch(lambda: False, seconds)
        (wall_0, time_0), (wall_1, time_1) = marks[0], marks[-1]
        return (time_1 - time_0) * RATE / (wall_1 - wall_0)


class Latency:
    """Time from the sending of a question to the sending of its answer, by the middleware's own time stamps."""

    def __init__(self, question: str, answer: str) -> None:
        self._sent: dict[bytes, int] = {}
        self.microseconds: list[float] = []
        self.topics: Topics = [
            (Topic(question, JointState), self._on_question),
            (Topic(answer, JointState), self._on_answer),
        ]

    def _on_question(self, data: bytes, info: dict[str, int]) -> None:
        self._sent[data[4:12]] = info["source_timestamp"]

    def _on_answer(self, data: bytes, info: dict[str, int]) -> None:
        if (start := self._sent.get(data[4:12])) is not None:
            self.microseconds.append((info["source_timestamp"] - start) * 1e-3)

    def percentiles(self, label: str) -> dict[str, float]:
        return {f"{label}_p{p}_us": float(np.percentile(self.microseconds, p)) for p in (50, 99)}


def echo(seconds: float) -> dict[str, float]:
    """Latency of the bare echo at the ring's rate."""
    latency = Latency("ping", "pong")
    with StackMonitor(latency.topics) as view, bare_process("pong"), bare_process("ping", seconds, PACED):
        view.wait(lambda: latency.microseconds, LONG_AGO)
        latency.microseconds.clear()
        view.wait(lambda: False, seconds - 1.0)
    return latency.percentiles("echo_question_to_answer")


def paced(seconds: float) -> dict[str, Any]:
    """Latency from state to command in a ring at real time, memory, and the time until the robot moves."""
    latency = Latency("joint_states", "joint_commands")
    with RunningStack(Options(settings={"backend": {"rate": PACED}}), latency.topics) as ring:
        ring.watch(lambda: ring.log.states > 0, LONG_AGO)
        first_state = time.perf_counter() - ring.began
        home = ring.log.joints[0][1]
        ring.watch(lambda: abs(ring.log.joints[-1][1][0] - home[0]) > 1e-4, LONG_AGO)
        moving = time.perf_counter() - ring.began
        latency.microseconds.clear()
        ring.watch(lambda: False, seconds)
        memory = ring.memory()
        counters = {key: int(ring.log.backend.get(key, 0)) for key in ("ticks", "late_ticks", "overruns")}
    return {
        **latency.percentiles("state_to_command"),
        "first_state_s": first_state,
        "first_motion_s": moving,
        "memory_MB": memory,
        **counters,
    }


def _simulations() -> tuple[str, ...]:
    return ("model", *installed_engines())


def measure(seconds: float, rounds: int, say: Callable[[str], None]) -> dict[str, Any]:
    """All of it; what is compared is measured in turns, and each number is the median of its rounds."""
    measured: dict[str, list[float]] = {}

    def note(key: str, value: float) -> None:
        measured.setdefault(key, []).append(value)

    for i in range(1, rounds + 1):
        say(f"round {i} of {rounds}: bare ping-pong")
        for key, value in bare(seconds).items():
            note(f"bare_{key}", value)
        for backend in _simulations():
            say(f"round {i} of {rounds}: {backend} in lockstep, then alone")
            note(f"{backend}_lockstep_ticks_per_s", lockstep(backend, seconds))
            note(f"{backend}_alone_ticks_per_s", raw_ticks(backend, seconds))
    say(f"latency at {PACED:g} Hz")
    result: dict[str, Any] = {key: float(np.median(values)) for key, values in measured.items()}
    result.update(echo(2 * seconds))
    result.update(paced(2 * seconds))
    for backend in _simulations():
        result[f"{backend}_lockstep_over_bare"] = (
            result[f"{backend}_lockstep_ticks_per_s"] / result["bare_round_trips_per_s"]
        )
    return result


def add_rows(table: Any, result: dict[str, Any]) -> None:
    """What was measured, for the table of `crawler bench`."""
    trips = result["bare_round_trips_per_s"]
    for backend in (name for name in BACKENDS if f"{name}_lockstep_ticks_per_s" in result):
        ticks, alone = result[f"{backend}_lockstep_ticks_per_s"], result[f"{backend}_alone_ticks_per_s"]
        table.add_row(
            f"{backend} ring, lockstep", f"{ticks:.0f} ticks/s", f"bare ping-pong {trips:.0f}/s", f"{ticks / trips:.2f}"
        )
        table.add_row("", "", f"{backend} alone {alone:.0f}/s", f"{ticks / alone:.2f}")
    for p in ("p50", "p99"):
        ring, echo = result[f"state_to_command_{p}_us"], result[f"echo_question_to_answer_{p}_us"]
        table.add_row(f"state to command, {p}", f"{ring:.0f} us", f"bare echo {echo:.0f} us", f"{ring / echo:.2f}")
    table.add_row(
        "bare round trip, p50 and p99",
        "",
        f"{result['bare_round_trip_p50_us']:.0f}, {result['bare_round_trip_p99_us']:.0f} us",
        "",
    )
    table.add_row("start to first state", f"{result['first_state_s']:.2f} s", "", "")
    table.add_row("start to first motion", f"{result['first_motion_s']:.2f} s", "", "")
    for name, megabytes in result["memory_MB"].items():
        table.add_row(f"memory of {name}", f"{megabytes:.0f} MB", "", "")
    table.add_row(
        "paced at 200 Hz", f"{result['ticks']} ticks", f"{result['late_ticks']} late, {result['overruns']} overrun", ""
    )


PART = Part(measure, add_rows)
