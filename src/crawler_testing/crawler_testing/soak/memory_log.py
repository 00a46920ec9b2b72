"""Memory of processes over time: its growth and its plot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from crawler_cli.plots.run_plot import COLOURS

PRIVATE_MEMORY = ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")  # without mapped files, whose share depends on other processes
KILOBYTE, MEGABYTE = 1024.0, 1e6
MEDIAN_SHARE = 0.1  # of the samples, at the start and at the end


def private_memory_mb(pid: int) -> float:
    """Return the private memory of a process in MB; NaN if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return math.nan
    return sum(float(line.split()[1]) for line in lines if line.startswith(PRIVATE_MEMORY)) * KILOBYTE / MEGABYTE


@dataclass
class MemoryLog:
    """Samples of each process by name: s since the start, and MB."""

    samples: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def sample(self, time: float, processes: Mapping[int, str]) -> None:
        for pid, name in processes.items():
            megabytes = private_memory_mb(pid)
            if not math.isnan(megabytes):
                self.samples.setdefault(name, []).append((time, megabytes))

    def growth(self, after: float) -> dict[str, float]:
        """Return the growth in MB of each process since `after` (s); without those with less than two samples."""
        late = {name: [s for s in samples if s[0] >= after] for name, samples in self.samples.items()}
        return {name: growth_mb(samples) for name, samples in late.items() if len(samples) > 1}

    def last(self) -> dict[str, float]:
        return {name: samples[-1][1] for name, samples in self.samples.items()}

    def plot(self, title: str, warmup: float, file: Path) -> None:
        """Plot each process's growth since its first sample, with a line at the end of the warm-up (s)."""
        figure = Figure(figsize=(10, 5), layout="constrained")
        axes = figure.subplots()
        axes.set_title(title)
        for colour, (name, samples) in zip(COLOURS, sorted(self.samples.items()), strict=False):
            times, megabytes = zip(*samples, strict=True)
            label = f"{name}, {megabytes[-1]:.0f} MB at the end"
            axes.plot([t / 60.0 for t in times], [mb - megabytes[0] for mb in megabytes], color=colour, label=label)
        if self.samples and warmup < max(samples[-1][0] for samples in self.samples.values()):
            axes.axvline(warmup / 60.0, color="grey", linestyle=":")
        axes.set_xlabel("time [min]")
        axes.set_ylabel("memory growth [MB]")
        axes.legend(loc="upper left", frameon=False)
        figure.savefig(file, dpi=110)


def growth_mb(samples: Sequence[tuple[float, float]]) -> float:
    """Return MB between the medians of the first and the last tenth of the samples."""
    megabytes = np.array([sample[1] for sample in samples])
    count = max(1, round(MEDIAN_SHARE * len(megabytes)))
    return float(np.median(megabytes[-count:]) - np.median(megabytes[:count]))
