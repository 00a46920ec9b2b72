"""How fast a board with motors is here: cycles beside what the wire allows, and how evenly its firmware's loop runs."""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crawler_testing.bench.benchmark_part import Part
from crawler_testing.bench.cycles import FEWEST, cycles, spread
from hw_drivers.board.board_bus import BoardBus
from hw_drivers.board.codec import frame, line_size
from hw_drivers.board.emulator import BITS_PER_BYTE, emulate
from hw_drivers.board.firmware import realtime
from hw_drivers.board.link import Link
from hw_drivers.board.messages import Arm, BoardState, MotorMode, MotorSetpoint, Reset, Setpoints, StateMessage
from hw_drivers.board.plan import configure_board, plan_motor
from hw_drivers.board.settings import BoardJoint, BoardSettings
from hw_drivers.board.setup import set_up
from hw_drivers.bus.bus import JointMap
from hw_drivers.ports.serial_port import SerialPort

MOTORS = 4
BAUDS = (1_000_000, 3_000_000)
# an answer may be slow here: it is to be measured, not lost
SETTINGS = BoardSettings(reply_timeout=1.0, watchdog=1.0, lowest_supply=10.0, highest_supply=14.0)
MOTOR = BoardJoint(counts=4096, torque_constant=0.02, resistance=2.0, max_current=3.0)  # as the firmware pretends them
PUSH = 0.05  # N m: half of the most speed


def measure(seconds: float, _rounds: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Cycles of an emulated board beside the wire's limit, and the firmware's loop in a process of its own."""
    say("board: cycles of four motors at 1 and 3 Mbaud, then the loop of its firmware")
    found: dict[str, Any] = {"board_motors": float(MOTORS)}
    for baud in BAUDS:
        name = f"board_{baud / 1e6:g}M"
        found[f"{name}_wire_limit_ms"] = 1e3 * wire_time(MOTORS, baud)
        found |= spread(f"{name}_cycle", _emulated_cycles(seconds, baud, wire=True), "ms")
    found |= spread("board_software_cycle", _emulated_cycles(seconds, BAUDS[0], wire=False), "ms")
    return found | _firmware(seconds)


def add_rows(table: Any, result: dict[str, Any]) -> None:
    """What was measured, for the table of `crawler bench`."""
    for baud in BAUDS:
        name = f"board_{baud / 1e6:g}M"
        limit, taken = result[f"{name}_wire_limit_ms"], result[f"{name}_cycle_p50_ms"]
        table.add_row(
            f"cycle of a board with {result['board_motors']:.0f} motors at {baud / 1e6:g} Mbaud",
            f"{taken:.2f} ms",
            f"the wire's limit {limit:.2f} ms",
            f"{taken / limit:.2f}",
        )
    software, whole = result["board_software_cycle_p50_ms"], result["firmware_cycle_p50_ms"]
    table.add_row("the same without a wire, on the emulator", f"{software:.2f} ms", "", "")
    table.add_row("and on the firmware as a process of its own", f"{whole:.2f} ms", "", "")
    late = "{firmware_late_p50_us:.0f} / {firmware_late_p99_us:.0f} / {firmware_late_worst_us:.0f} us"
    table.add_row("by which its loop of 1 ms is late, p50 / p99 / worst", late.format(**result), "", "")
    table.add_row("a turn of that loop, p50", f"{result['firmware_pass_p50_us']:.1f} us", "", "")


def wire_time(motors: int, baud: int) -> float:
    """s that the bits of one cycle need on the wire: the setpoints of all motors, and their states."""
    question = frame(Setpoints({number: MotorSetpoint(MotorMode.TORQUE) for number in range(motors)}), 1)
    return (len(question) + line_size(StateMessage.size(motors))) * BITS_PER_BYTE / baud


def _joints() -> Sequence[JointMap]:
    ends = -math.inf, math.inf
    return [JointMap(f"crank_{i}", i, 1, 10.0, 0.0, *ends, 20.0, 0.4, MOTOR, by_effort=True) for i in range(MOTORS)]


def _emulated_cycles(seconds: float, baud: int, *, wire: bool) -> np.ndarray:
    """ms of each."""
    settings, joints = replace(SETTINGS, baud=baud), _joints()
    emulator = emulate(settings, joints, [0.0] * MOTORS)
    bus = BoardBus("bench", replace(settings, port=emulator.port))
    bus.open()
    try:
        bus.configure(joints)
        bus.enable()
        emulator.wire = wire
        return cycles(bus, MOTORS, seconds)
    finally:
        bus.close()
        emulator.close()


def _firmware(seconds: float) -> dict[str, float]:
    """Of the firmware in a process of its own, while a host drives its motors as fast as it goes."""
    with subprocess.Popen([realtime(), str(MOTORS), "0"], stdout=subprocess.PIPE, text=True) as board:
        assert board.stdout is not None
        port = SerialPort(board.stdout.readline().strip(), BAUDS[0])
        port.open()
        try:
            found = spread("firmware_cycle", _asked(Link(port, BAUDS[0], SETTINGS.reply_timeout), seconds), "ms")
        finally:
            port.close()
            board.terminate()
        report = json.loads(board.stdout.readline())
    times = {f"firmware_{what}_{k}_us": v for what in ("late", "pass") for k, v in report[f"{what}_us"].items()}
    return found | {"firmware_ticks": report["ticks"]} | times


def _asked(link: Link, seconds: float) -> np.ndarray:
    """ms of each cycle. A board that a busy machine has stalled lets go of its motors, and is armed again."""
    plans = [plan_motor(joint) for joint in _joints()]
    set_up(link, plans, configure_board(SETTINGS, "bench", plans))
    push = Setpoints({plan.number: MotorSetpoint(MotorMode.TORQUE, PUSH) for plan in plans})
    taken: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken) < FEWEST:
        begun = time.perf_counter()
        state = link.answer(link.tell(push))
        taken.append(time.perf_counter() - begun)
        if isinstance(state, StateMessage) and state.state != BoardState.ARMED:
            link.confirmed(Reset())
            link.confirmed(Arm())
    return 1e3 * np.array(taken)


PART = Part(measure, add_rows)
