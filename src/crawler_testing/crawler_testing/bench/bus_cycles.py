"""Cycle times of a motor bus."""

from __future__ import annotations

import time

import numpy as np

from hw_drivers.bus.bus import Bus

MIN_CYCLES = 10  # on any machine


def measure_cycles(bus: Bus, joints: int, seconds: float) -> np.ndarray:
    """Return ms of each cycle of an enabled bus: one write and one read, for `seconds` and at least MIN_CYCLES."""
    zero, no_effort = np.zeros(joints), np.full(joints, np.nan)
    taken: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken) < MIN_CYCLES:
        start = time.perf_counter()
        bus.write(zero, zero, no_effort)
        bus.read()
        taken.append(time.perf_counter() - start)
    return 1e3 * np.array(taken)


def percentiles(name: str, values: np.ndarray, unit: str) -> dict[str, float]:
    """Return the median and the 99th percentile, by name."""
    return {f"{name}_p50_{unit}": float(np.median(values)), f"{name}_p99_{unit}": float(np.percentile(values, 99))}
