"""What a run comes to: measured beside predicted, as numbers and as a table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from crawler_bringup.stack.stack import Stack
from crawler_cli.run.run_watch import RunOutcome
from crawler_cli.run.verdict import why_invalid, why_not_done
from crawler_nodes.run_log.stride_metrics import branch_shares, demands, measure, mode_shares

UNKNOWN_CYCLES = 2  # periods that a crawl without equations is given to settle
DEMANDS = {  # what strides ask for at most, where it is known
    "friction_used": ("friction used", lambda v: f"{v:.3f}"),
    "slip_per_stride_m": ("slip of a stride", lambda v: f"{1e3 * v:.3f} mm"),
    "peak_torque_N_m": ("largest torque", lambda v: f"{v:.2f} N m"),
    "peak_power_W": ("largest power", lambda v: f"{v:.0f} W"),
}
COUNTERS = ("ticks", "late_ticks", "overruns", "clamped", "rejected")


def summarise(stack: Stack, outcome: RunOutcome, directory: Path) -> dict[str, Any]:
    """The keys of `crawler run --json`. There is no picture yet, and no recording."""
    log, prediction, period = outcome.log, stack.prediction, stack.gait.period
    numbers, words = prediction.numbers, prediction.words
    cycles = numbers["cycles_to_steady"] if numbers else UNKNOWN_CYCLES
    if log.changed is not None:
        numbers, period = None, log.period
        words = f"none: the gait was changed on the way, at {log.changed:.1f} s; what is measured is of after that"
    settling = (log.changed or 0.0) + (1 + cycles) * period  # a gait fades in over its first period
    measured = measure(log, period, settling)
    expected = numbers["step_length_m"] if numbers else None
    invalid = why_invalid(log)
    return {
        "robot": stack.spec.name,
        "backend": stack.options.backend,
        "controller": stack.law,
        "gait": stack.gait_name,
        "duration_s": log.time,
        "real_time_factor": log.time / outcome.wall if outcome.wall > 0.0 else math.nan,
        "start_up_s": outcome.start_up,
        "step_length_m": measured.step_length if measured else None,
        "stride_period_s": measured.period if measured else None,
        "speed_m_s": measured.speed if measured else None,
        "cycles_measured": measured.cycles if measured else 0,
        "steady": bool(measured and measured.steady and not invalid),
        "prediction": words,
        "predicted_step_length_m": expected,
        "predicted_speed_m_s": numbers["speed_m_s"] if numbers else None,
        "demands": demands(log, settling),
        "predicted_demands": {key: numbers[key] for key in demands(log, settling) if key in numbers} if numbers else {},
        "difference_percent": 100.0 * (measured.step_length / expected - 1.0) if measured and expected else None,
        "distance_m": log.distance,
        "lateral_m": log.lateral if log.drifts else None,
        "yaw_rad": log.yaw if log.drifts else None,
        **{key: int(log.backend.get(key, 0)) for key in COUNTERS},
        "contact_shares": mode_shares(log),
        "branch_shares": branch_shares(log, settling),
        "valid": not invalid,
        "why_invalid": invalid,
        "fault": why_not_done(log, outcome.failure),
        "interrupted": bool(outcome.interrupted),
        "directory": str(directory),
        "picture": None,
        "recording": None,
    }


def summary_table(summary: dict[str, Any]) -> None:
    """The summary of a run, measured beside predicted."""
    table = Table(title=f"{summary['robot']} on {summary['backend']}, gait {summary['gait']}", title_justify="left")
    table.add_column("")
    table.add_column("measured", justify="right")
    table.add_column("equations", justify="right")
    table.add_column("difference", justify="right")

    def millimetres(value: float | None, unit: str) -> str:
        return "-" if value is None else f"{value * 1e3:.3f} {unit}"

    table.add_row(
        "step length",
        millimetres(summary["step_length_m"], "mm"),
        millimetres(summary["predicted_step_length_m"], "mm"),
        _apart(summary["step_length_m"], summary["predicted_step_length_m"]),
    )
    table.add_row(
        "speed",
        millimetres(summary["speed_m_s"], "mm/s"),
        millimetres(summary["predicted_speed_m_s"], "mm/s"),
        _apart(summary["speed_m_s"], summary["predicted_speed_m_s"]),
    )
    table.add_row("distance", millimetres(summary["distance_m"], "mm"), "", "")
    if summary["lateral_m"] is not None:
        table.add_row("aside, to the left", millimetres(summary["lateral_m"], "mm"), "", "")
        table.add_row("yaw, to the left", f"{math.degrees(summary['yaw_rad']):.2f}°", "", "")
    table.add_row("time", f"{summary['duration_s']:.2f} s", "", f"{summary['real_time_factor']:.2f} x real time")
    late = f"{summary['late_ticks']} late, {summary['overruns']} overrun"
    table.add_row("ticks", str(summary["ticks"]), "", late)
    for key, (meaning, text) in DEMANDS.items():
        if key in summary["demands"]:
            told = summary["predicted_demands"].get(key)
            table.add_row(meaning, text(summary["demands"][key]), "" if told is None else text(told), "")
    if len(summary["branch_shares"]) > 1:
        shares = [f"{name} {100 * share:.1f} %" for name, share in summary["branch_shares"].items()]
        table.add_row("law in force", "\n".join(shares), "", "")
    console = Console()
    console.print(table)
    if summary["prediction"] != "equations":
        console.print(f"compared with: {summary['prediction']}", soft_wrap=True, highlight=False)
    if summary["step_length_m"] is None:
        if not summary["fault"]:  # which says itself why the run was short
            console.print("The run was shorter than one stride: give it a longer --duration to measure a step.")
    elif not summary["valid"]:
        console.print(f"not valid: {summary['why_invalid']}", soft_wrap=True, highlight=False)
    elif not summary["steady"]:
        console.print("The crawl had not settled: give the run a longer --duration for a steady step length.")
    for label, key in (("picture", "picture"), ("recording", "recording"), ("everything", "directory")):
        if summary[key]:
            console.print(f"{label}: {summary[key]}", soft_wrap=True, highlight=False)


def _apart(measured: float | None, predicted: float | None) -> str:
    return f"{100.0 * (measured / predicted - 1.0):+.2f} %" if measured is not None and predicted else "-"
