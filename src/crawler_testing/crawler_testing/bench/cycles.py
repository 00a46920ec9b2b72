"""How long a bus takes for its cycles."""

from __future__ import annotations

import time

import numpy as np

from hw_drivers.bus.bus import Bus

FEWEST = 10  # cycles, however busy the machine is


def cycles(bus: Bus, joints: int, seconds: float) -> np.ndarray:
    """ms of each cycle, a write and a read as fast as they go, of a bus that is enabled; for so long, and FEWEST."""
    still, none = np.zeros(joints), np.full(joints, np.nan)
    taken: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken) < FEWEST:
        begun = time.perf_counter()
        bus.write(still, still, none)
        bus.read()
        taken.append(time.perf_counter() - begun)
    return 1e3 * np.array(taken)


def spread(name: str, values: np.ndarray, unit: str) -> dict[str, float]:
    """The median and the 99th percentile, by name."""
    return {f"{name}_p50_{unit}": float(np.median(values)), f"{name}_p99_{unit}": float(np.percentile(values, 99))}
