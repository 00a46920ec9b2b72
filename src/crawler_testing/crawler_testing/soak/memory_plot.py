"""The picture of a soak: memory of each process over time."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from crawler_cli.plots.run_plot import COLOURS
from crawler_testing.soak.memory import Memory


def draw_memory(memory: Memory, title: str, settles: float, file: Path) -> None:
    """Write it to `file`; what each process has grown since it was first seen, and a line where it has to be flat."""
    figure = Figure(figsize=(10, 5), layout="constrained")
    axes = figure.subplots()
    axes.set_title(title)
    for colour, (name, samples) in zip(COLOURS, sorted(memory.samples.items()), strict=False):
        times, megabytes = zip(*samples, strict=True)
        label = f"{name}, {megabytes[-1]:.0f} MB at the end"
        axes.plot([t / 60.0 for t in times], [mb - megabytes[0] for mb in megabytes], color=colour, label=label)
    if memory.samples and settles < max(samples[-1][0] for samples in memory.samples.values()):
        axes.axvline(settles / 60.0, color="grey", linestyle=":")
    axes.set_xlabel("time [min]")
    axes.set_ylabel("memory gained [MB]")
    axes.legend(loc="upper left", frameon=False)
    figure.savefig(file, dpi=110)
