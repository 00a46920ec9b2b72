"""How fast the serial bus is here: a cycle of eight servos beside what the wire allows, and how even cycles come."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crawler_testing.bench.benchmark_part import Part
from crawler_testing.bench.cycles import FEWEST, cycles, spread
from hw_drivers.bus.bus import JointMap
from hw_drivers.bus.bus_loop import BusLoop
from hw_drivers.bus.fault_latch import FaultLatch
from hw_drivers.dynamixel import codec
from hw_drivers.dynamixel import tables as t
from hw_drivers.dynamixel.dynamixel_bus import DynamixelBus
from hw_drivers.dynamixel.emulator import DynamixelEmulator, emulate
from hw_drivers.dynamixel.link import BITS_PER_BYTE, STATUS_PACKET_BYTES
from hw_drivers.dynamixel.settings import DynamixelJoint, DynamixelSettings

SERVOS = 8
RATE = 200.0  # Hz
EASY = 1.0  # s that an answer may take: a slow one is to be measured, not lost


def measure(seconds: float, _rounds: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Time of a cycle beside the wire's limit, and how evenly the bus's thread runs."""
    say("motors: a cycle of eight servos, then 200 cycles a second")
    cycles, jitter = cycle_times(seconds), loop_jitter(seconds)
    return {f"bus_{key}": value for key, value in cycles.items()} | {f"loop_{key}": v for key, v in jitter.items()}


def add_rows(table: Any, result: dict[str, Any]) -> None:
    """What was measured, for the table of `crawler bench`."""
    limit, timed = result["bus_wire_limit_ms"], result["bus_timed_cycle_p50_ms"]
    servos, baud = result["bus_servos"], result["bus_baud"]
    table.add_row(
        f"cycle of {servos:.0f} servos at {baud / 1e6:g} Mbaud",
        f"{timed:.2f} ms",
        f"the wire's limit {limit:.2f} ms",
        f"{timed / limit:.2f}",
    )
    table.add_row("driver and emulator alone", f"{result['bus_software_cycle_p50_ms']:.2f} ms", "", "")
    table.add_row(
        f"jitter of the bus's loop at {result['loop_rate_hz']:.0f} Hz, p50 / p99",
        f"{result['loop_jitter_p50_us']:.0f} / {result['loop_jitter_p99_us']:.0f} us",
        "",
        "",
    )


def wire_time(servos: int, baud: int) -> float:
    """s that the bits of one cycle need on the wire: a sync write, a sync read, and an answer of each servo."""
    idents = list(range(1, servos + 1))
    goals = codec.encode(codec.sync_write(t.GOAL_POSITION.address, dict.fromkeys(idents, bytes(t.GOAL_POSITION.size))))
    question = codec.encode(codec.sync_read(idents, t.INDIRECT_ADDRESS, t.CYCLE_BYTES))
    answers = servos * (STATUS_PACKET_BYTES + t.CYCLE_BYTES)
    return (len(goals) + len(question) + answers) * BITS_PER_BYTE / baud


def cycle_times(seconds: float, baud: int = 1_000_000, servos: int = SERVOS) -> dict[str, float]:
    """Medians and 99th percentiles (ms) of one sync write and one sync read, beside the limit of the wire.

    `software`: the emulator answers at once, so this is what driver, terminal and emulator cost together.
    `timed`: its answers take the time that their bits need at `baud`, as those of servos do.
    """
    found = {"servos": float(servos), "baud": float(baud), "wire_limit_ms": 1e3 * wire_time(servos, baud)}
    for name, wire in (("software", False), ("timed", True)):
        with _Rig(servos, baud) as rig:
            rig.emulator.wire = wire
            found |= spread(f"{name}_cycle", cycles(rig.bus, servos, seconds), "ms")
    return found


def loop_jitter(seconds: float, rate: float = RATE, servos: int = SERVOS) -> dict[str, float]:
    """How evenly the cycles of the bus's own thread begin; `evenness` says what is returned."""
    with _Rig(servos, 1_000_000) as rig:
        loop = BusLoop(rig.bus, rig.joints, 1.0 / rate, 10.0, FaultLatch(), guarded=False)
        loop.timed = True
        loop.start()
        loop.enable()
        time.sleep(seconds)
        while len(loop.starts) < FEWEST and loop.torque:
            time.sleep(1.0 / rate)
        loop.stop()
    return evenness(loop.starts, rate)


def evenness(starts: Sequence[float], rate: float) -> dict[str, float]:
    """By how much (us) the times between cycles that began at `starts` (s) differ from those of the rate (Hz)."""
    steps = np.diff(starts)
    late = 1e6 * np.abs(steps - 1.0 / rate)
    return {
        "rate_hz": rate,
        "cycles": float(len(steps) + 1),
        **spread("jitter", late, "us"),
        "worst_us": float(late.max()),
    }


class _Rig:
    """A driver with torque on, and the servos that it drives."""

    def __init__(self, servos: int, baud: int) -> None:
        settings = DynamixelSettings(baud=baud, reply_timeout=EASY, watchdog=2.5)
        own = DynamixelJoint(model="XM430-W350")
        self.joints: Sequence[JointMap] = [
            JointMap(f"joint_{i}", i, 1, 1.0, np.pi, -1.5, 1.5, 3.0, 1.0, own) for i in range(1, servos + 1)
        ]
        self.emulator: DynamixelEmulator = emulate(settings, self.joints, [0.0] * servos)
        self.bus = DynamixelBus("bench", replace(settings, port=self.emulator.port))

    def __enter__(self) -> _Rig:
        self.bus.open()
        self.bus.configure(self.joints)
        self.bus.enable()
        return self

    def __exit__(self, *_: object) -> None:
        self.bus.close()
        self.emulator.close()


PART = Part(measure, add_rows)
