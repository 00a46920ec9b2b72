"""Speed of a motor board: cycles beside the limit of the wire, and the regularity of its firmware's loop."""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crawler_testing.bench.bus_cycles import MIN_CYCLES, measure_cycles, percentiles
from hw_drivers.board.board_bus import BoardBus
from hw_drivers.board.board_sensors import BoardSensors
from hw_drivers.board.codec import frame, line_size
from hw_drivers.board.emulator import emulate
from hw_drivers.board.firmware import realtime
from hw_drivers.board.link import Link
from hw_drivers.board.messages import Arm, BoardState, MotorMode, MotorSetpoint, Reset, Setpoints, StateMessage
from hw_drivers.board.plan import configure_board, plan_motor
from hw_drivers.board.settings import BoardJoint, BoardSettings
from hw_drivers.board.setup import set_up
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.ports.serial_port import BITS_PER_BYTE, SerialPort

MOTORS = 4
BAUDS = (1_000_000, 3_000_000)
# with timeouts that measure a slow answer instead of losing it
SETTINGS = BoardSettings(reply_timeout=1.0, watchdog=1.0, lowest_supply=10.0, highest_supply=14.0)
MOTOR = BoardJoint(counts=4096, torque_constant=0.02, resistance=2.0, max_current=3.0)  # as the firmware emulates them
TORQUE_N_M = 0.05  # that gives half of the largest speed


def measure(seconds: float, _rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Measure cycles of an emulated board, and the firmware in a process of its own."""
    log("board: cycles of four motors at 1 and 3 Mbaud, then the loop of its firmware")
    found: dict[str, Any] = {"board_motors": float(MOTORS)}
    for baud in BAUDS:
        name = f"board_{baud / 1e6:g}M"
        found[f"{name}_wire_limit_ms"] = 1e3 * wire_time(MOTORS, baud)
        found |= percentiles(f"{name}_cycle", _emulated_cycles(seconds, baud, wire=True), "ms")
    found |= percentiles("board_software_cycle", _emulated_cycles(seconds, BAUDS[0], wire=False), "ms")
    return found | _measure_firmware(seconds)


def add_rows(table: Any, result: dict[str, Any]) -> None:
    for baud in BAUDS:
        name = f"board_{baud / 1e6:g}M"
        limit, taken = result[f"{name}_wire_limit_ms"], result[f"{name}_cycle_p50_ms"]
        table.add_row(
            f"cycle of a board with {result['board_motors']:.0f} motors at {baud / 1e6:g} Mbaud",
            f"{taken:.2f} ms",
            f"limit of the wire {limit:.2f} ms",
            f"{taken / limit:.2f}",
        )
    software, process = result["board_software_cycle_p50_ms"], result["firmware_cycle_p50_ms"]
    table.add_row("the same without a wire, on the emulator", f"{software:.2f} ms")
    table.add_row("the same on the firmware as a process", f"{process:.2f} ms")
    late = "{firmware_late_p50_us:.0f} / {firmware_late_p99_us:.0f} / {firmware_late_worst_us:.0f} us"
    table.add_row("lateness of its loop of 1 ms, p50 / p99 / worst", late.format(**result))
    table.add_row("duration of that loop, p50", f"{result['firmware_pass_p50_us']:.1f} us")


def wire_time(motors: int, baud: int) -> float:
    """Return s for the bits of one cycle: the setpoints of all motors, and their states."""
    question = frame(Setpoints({number: MotorSetpoint(MotorMode.TORQUE) for number in range(motors)}), 1)
    return (len(question) + line_size(StateMessage.size(motors))) * BITS_PER_BYTE / baud


def _joints() -> Sequence[JointMap]:
    numbers = (10.0, 0.0, -math.inf, math.inf, 20.0, 0.4)
    return [JointMap(f"crank_{i}", i, 1, *numbers, MOTOR, is_effort_driven=True) for i in range(MOTORS)]


def _emulated_cycles(seconds: float, baud: int, *, wire: bool) -> np.ndarray:
    settings, joints = replace(SETTINGS, baud=baud), _joints()
    emulator = emulate(settings, joints, [0.0] * MOTORS)
    bus = BoardBus("bench", replace(settings, port=emulator.port))
    bus.open()
    try:
        bus.configure(joints)
        bus.enable()
        emulator.has_wire_delay = wire
        return measure_cycles(bus, MOTORS, seconds)
    finally:
        bus.close()
        emulator.close()


def _measure_firmware(seconds: float) -> dict[str, float]:
    """Measure the firmware in a process of its own, while a host commands its motors without a pause."""
    with subprocess.Popen([realtime(), str(MOTORS), "0"], stdout=subprocess.PIPE, text=True) as board:
        assert board.stdout is not None
        port = SerialPort(board.stdout.readline().strip(), BAUDS[0])
        port.open()
        try:
            found = percentiles(
                "firmware_cycle", _measure_link(Link(port, BAUDS[0], SETTINGS.reply_timeout), seconds), "ms"
            )
        finally:
            port.close()
            board.terminate()
        report = json.loads(board.stdout.readline())
    times = {f"firmware_{what}_{k}_us": v for what in ("late", "pass") for k, v in report[f"{what}_us"].items()}
    return found | {"firmware_ticks": report["ticks"]} | times


def _measure_link(link: Link, seconds: float) -> np.ndarray:
    """Return ms of each cycle. A board that a busy machine has stalled disables its motors, and is armed again."""
    plans = [plan_motor(joint) for joint in _joints()]
    set_up(link, plans, configure_board(SETTINGS, "bench", plans), BoardSensors(()))
    push = Setpoints({plan.number: MotorSetpoint(MotorMode.TORQUE, TORQUE_N_M) for plan in plans})
    taken: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken) < MIN_CYCLES:
        start = time.perf_counter()
        state = link.answer(link.send(push))
        taken.append(time.perf_counter() - start)
        if isinstance(state, StateMessage) and state.state != BoardState.ARMED:
            link.confirm(Reset())
            link.confirm(Arm())
    return 1e3 * np.array(taken)
