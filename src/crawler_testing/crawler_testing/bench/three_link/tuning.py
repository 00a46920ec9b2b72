"""Bayesian tuning on the equations, beside random points and the global optimum."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from crawler_testing.bench.three_link import tuning_curves

PLOT_FILE = Path("studies/bench_tuning.png")


def measure(_seconds: float, _rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Tune every problem with ten seeds, and plot the curves."""
    curves = tuning_curves.tune_all(log=lambda text: log(f"tuning: {text}"))
    PLOT_FILE.parent.mkdir(parents=True, exist_ok=True)
    tuning_curves.draw(curves, PLOT_FILE)
    return {"tuning": tuning_curves.summary(curves), "tuning_picture": str(PLOT_FILE)}


def add_rows(table: Any, result: dict[str, Any]) -> None:
    for title, found in result["tuning"].items():
        table.add_row(
            f"tuning, {title}",
            f"{found['reached']} of {found['seeds']} seeds reach 98 %",
            f"optimum {found['optimum_mm']:.2f} mm",
            f"in {found['median_evaluations']:g} (median)",
        )
        for number, tuned, chance in zip(
            (20, 60), found["mean_at_20_30_60"][::2], found["chance_at_20_30_60"][::2], strict=True
        ):
            table.add_row(
                f"mean best after {number}", f"{tuned:.1%}", f"random points {chance:.1%}", f"{tuned / chance:.2f}"
            )
        few, many = found["gradients_reached_in_60_and_600"]
        table.add_row(
            "gradients from many starts",
            f"{few} of {found['seeds']} seeds reach 98 % within 60",
            f"{many} within 600",
            f"in {found['gradients_median_evaluations']:g} (median)",
        )
    table.add_row("curves", result["tuning_picture"])
