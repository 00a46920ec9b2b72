"""Speed of a serial bus: the cycle of eight servos beside the limit of the wire, and the regularity of cycles."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crawler_testing.bench.bus_cycles import MIN_CYCLES, measure_cycles, percentiles
from hw_drivers.bus.bus_loop import BusLoop
from hw_drivers.bus.fault_latch import FaultLatch
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.dynamixel import codec
from hw_drivers.dynamixel import tables as t
from hw_drivers.dynamixel.dynamixel_bus import DynamixelBus
from hw_drivers.dynamixel.emulator import DynamixelEmulator, emulate
from hw_drivers.dynamixel.link import STATUS_PACKET_BYTES
from hw_drivers.dynamixel.settings import DynamixelJoint, DynamixelSettings
from hw_drivers.ports.serial_port import BITS_PER_BYTE

SERVOS = 8
BAUD = 1_000_000
RATE_HZ = 200.0
REPLY_TIMEOUT_S = 1.0  # a slow reply is measured, not lost


def measure(seconds: float, _rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Measure the time of a cycle, and the regularity of the bus's thread."""
    log("motors: a cycle of eight servos, then 200 cycles per second")
    cycles, jitter = measure_cycle_times(seconds), measure_loop_jitter(seconds)
    return {f"bus_{key}": value for key, value in cycles.items()} | {f"loop_{key}": v for key, v in jitter.items()}


def add_rows(table: Any, result: dict[str, Any]) -> None:
    limit, timed = result["bus_wire_limit_ms"], result["bus_timed_cycle_p50_ms"]
    label = f"cycle of {result['bus_servos']:.0f} servos at {result['bus_baud'] / 1e6:g} Mbaud"
    table.add_row(label, f"{timed:.2f} ms", f"limit of the wire {limit:.2f} ms", f"{timed / limit:.2f}")
    table.add_row("driver and emulator alone", f"{result['bus_software_cycle_p50_ms']:.2f} ms")
    p50, p99 = result["loop_jitter_p50_us"], result["loop_jitter_p99_us"]
    label = f"jitter of the bus loop at {result['loop_rate_hz']:.0f} Hz, p50 / p99"
    table.add_row(label, f"{p50:.0f} / {p99:.0f} us")


def wire_time(servos: int, baud: int) -> float:
    """Return s for the bits of one cycle: a sync write, a sync read, and a reply of each servo."""
    ids = list(range(1, servos + 1))
    write = codec.encode(codec.sync_write(t.GOAL_POSITION.address, dict.fromkeys(ids, bytes(t.GOAL_POSITION.size))))
    read = codec.encode(codec.sync_read(ids, t.INDIRECT_ADDRESS, t.CYCLE_BYTES))
    replies = servos * (STATUS_PACKET_BYTES + t.CYCLE_BYTES)
    return (len(write) + len(read) + replies) * BITS_PER_BYTE / baud


def measure_cycle_times(seconds: float, baud: int = BAUD, servos: int = SERVOS) -> dict[str, float]:
    """Return medians and 99th percentiles (ms) of one sync write and one sync read, and the limit of the wire.

    `software`: the emulator replies at once; the time is that of driver, terminal and emulator.
    `timed`: its replies take the time of their bits at `baud`, as those of real servos.
    """
    found = {"servos": float(servos), "baud": float(baud), "wire_limit_ms": 1e3 * wire_time(servos, baud)}
    for name, has_wire_delay in (("software", False), ("timed", True)):
        with EmulatedMotors(servos, baud) as motors:
            motors.emulator.has_wire_delay = has_wire_delay
            found |= percentiles(f"{name}_cycle", measure_cycles(motors.bus, servos, seconds), "ms")
    return found


def measure_loop_jitter(seconds: float, rate: float = RATE_HZ, servos: int = SERVOS) -> dict[str, float]:
    """Return the `jitter` of the cycles of the bus's own thread."""
    with EmulatedMotors(servos, BAUD) as motors:
        loop = BusLoop(motors.bus, motors.joints, 1.0 / rate, 10.0, FaultLatch(), needs_ticks=False)
        loop.records_starts = True
        loop.start()
        loop.enable()
        time.sleep(seconds)
        while len(loop.starts) < MIN_CYCLES and loop.may_have_torque:
            time.sleep(1.0 / rate)
        loop.stop()
    return jitter(loop.starts, rate)


def jitter(starts: Sequence[float], rate: float) -> dict[str, float]:
    """Return the deviation (us) of the times between cycles that began at `starts` (s) from the rate (Hz)."""
    steps = np.diff(starts)
    deviation = 1e6 * np.abs(steps - 1.0 / rate)
    counts = {"rate_hz": rate, "cycles": float(len(steps) + 1)}
    return {**counts, **percentiles("jitter", deviation, "us"), "worst_us": float(deviation.max())}


class EmulatedMotors:
    """A driver with torque on, and the emulated servos on its bus."""

    def __init__(self, servos: int, baud: int) -> None:
        settings = DynamixelSettings(baud=baud, reply_timeout=REPLY_TIMEOUT_S, watchdog=2.5)
        joint = DynamixelJoint(model="XM430-W350")
        self.joints: Sequence[JointMap] = [
            JointMap(f"joint_{i}", i, 1, 1.0, np.pi, -1.5, 1.5, 3.0, 1.0, joint) for i in range(1, servos + 1)
        ]
        self.emulator: DynamixelEmulator = emulate(settings, self.joints, [0.0] * servos)
        self.bus = DynamixelBus("bench", replace(settings, port=self.emulator.port))

    def __enter__(self) -> EmulatedMotors:
        self.bus.open()
        self.bus.configure(self.joints)
        self.bus.enable()
        return self

    def __exit__(self, *_: object) -> None:
        self.bus.close()
        self.emulator.close()
