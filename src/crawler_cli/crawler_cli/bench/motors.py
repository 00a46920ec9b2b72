"""The serial bus of the hardware backend on an emulated bus of eight servos."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hw_drivers.bench import cycle_times, loop_jitter


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
