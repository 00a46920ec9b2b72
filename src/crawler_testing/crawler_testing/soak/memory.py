"""The memory of processes over time, and whether it is flat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

COUNTED = ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")
KILO, MEGA = 1024.0, 1e6
SHARE = 0.1  # of what is looked at, whose median is the memory at its begin or end


def own_memory(pid: int) -> float:
    """Megabytes that a process has made its own; NaN where it has ended.

    Without the files that it maps: their share changes with whoever else maps them.
    """
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return float("nan")
    return sum(float(line.split()[1]) for line in lines if line.startswith(COUNTED)) * KILO / MEGA


@dataclass
class Memory:
    """Of each process, by name: s since the begin, and MB."""

    samples: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def look(self, time: float, processes: Mapping[int, str]) -> None:
        """Take a sample of each."""
        for pid, name in processes.items():
            megabytes = own_memory(pid)
            if megabytes == megabytes:
                self.samples.setdefault(name, []).append((time, megabytes))

    def growth(self, after: float) -> dict[str, float]:
        """MB by which each process has grown since `after` (s); without those that were seen less than twice."""
        grown = {name: grows([s for s in samples if s[0] >= after]) for name, samples in self.samples.items()}
        return {name: megabytes for name, megabytes in grown.items() if megabytes is not None}

    def latest(self) -> dict[str, float]:
        """MB of each process."""
        return {name: samples[-1][1] for name, samples in self.samples.items()}


def grows(samples: Sequence[tuple[float, float]]) -> float | None:
    """MB between the medians of the first and the last tenth of the samples; None of less than two."""
    if len(samples) < 2:
        return None
    megabytes = np.array([sample[1] for sample in samples])
    few = max(1, round(SHARE * len(megabytes)))
    return float(np.median(megabytes[-few:]) - np.median(megabytes[:few]))
