"""Sum up a run: measured values beside predicted ones, as JSON and as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.table import Table

from crawler_bringup.stack.options import NO_NODE
from crawler_bringup.stack.stack import Stack
from crawler_cli.console.output import print_lines, print_table
from crawler_cli.run.difference import explain_difference
from crawler_cli.run.run_watch import RunOutcome
from crawler_cli.run.verdict import why_invalid, why_not_done
from crawler_nodes.run_log.measure_source import NOT_MEASURED, estimate_source, measured_by
from crawler_nodes.run_log.stride_metrics import branch_shares, measure, mode_shares, peak_stride_loads

UNPREDICTED_CYCLES = 2  # periods until a crawl without equations counts as settled
LOADS = {  # largest loads of a stride, where they are known: label and text
    "friction_used": ("friction used", lambda v: f"{v:.3f}"),
    "slip_per_stride_m": ("slip of a stride", lambda v: f"{1e3 * v:.3f} mm"),
    "peak_torque_N_m": ("largest torque", lambda v: f"{v:.2f} N m"),
    "peak_power_W": ("largest power", lambda v: f"{v:.0f} W"),
}
COUNTERS = ("ticks", "late_ticks", "overruns", "clamped", "rejected")


def summarise(stack: Stack, outcome: RunOutcome, directory: Path) -> dict[str, Any]:
    """Return the keys of `crawler run --json`, still without picture and recording."""
    log, prediction, period = outcome.log, stack.prediction, stack.period
    numbers, source = prediction.numbers, prediction.source
    cycles = numbers["cycles_to_steady"] if numbers else UNPREDICTED_CYCLES
    if log.changed is not None:
        numbers, period = None, log.status.period
        source = f"none: the gait was changed on the way, at {log.changed:.1f} s; the measurement begins after that"
    settled_at = (log.changed or 0.0) + (1 + cycles) * period  # a gait fades in over its first period
    measured = None if math.isnan(period) else measure(log, period, settled_at)
    expected = numbers["step_length_m"] if numbers else None
    loads = peak_stride_loads(log, settled_at)
    invalid = why_invalid(log, can_lockstep=stack.backend.entry.simulated) if stack.has_controller else ""
    source_of_distance = measured_by(log)
    believed = estimate_source(log) if log.estimate.poses else ""
    difference = 100.0 * (measured.step_length / expected - 1.0) if measured and expected else None
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
        "gait_period_s": period,
        "speed_m_s": measured.speed if measured else None,
        "cycles_measured": measured.cycles if measured else 0,
        "steady": bool(measured and measured.steady and not invalid),
        "prediction": source,
        "predicted_step_length_m": expected,
        "predicted_speed_m_s": numbers["speed_m_s"] if numbers else None,
        "peak_loads": loads,
        "predicted_peak_loads": {key: numbers[key] for key in loads if key in numbers} if numbers else {},
        "difference_percent": difference,
        "why_different": explain_difference(stack, difference),
        "distance_m": log.base.distance if source_of_distance else None,
        "measured_by": source_of_distance or None,
        "estimated_distance_m": log.estimate.distance if believed else None,
        "estimate_source": believed or None,
        "lateral_m": log.base.lateral if log.can_drift else None,
        "yaw_rad": log.base.yaw if log.can_drift else None,
        **{key: int(log.status.backend.get(key, 0)) for key in COUNTERS},
        "contact_shares": mode_shares(log),
        "branch_shares": branch_shares(log, settled_at),
        "valid": not invalid,
        "why_invalid": invalid,
        "sensor_warnings": log.status.backend.get("sensor_warnings", ""),
        "fault": why_not_done(log, outcome.failure, may_relax=not stack.has_controller),
        "interrupted": bool(outcome.interrupted),
        "directory": str(directory),
        "picture": None,
        "recording": None,
    }


def print_summary(summary: dict[str, Any]) -> None:
    """Print the summary of a run as a table, and what there is to note."""
    table = Table(title=f"{summary['robot']} on {summary['backend']}, gait {summary['gait']}", title_justify="left")
    table.add_column("")
    for name in ("measured", "equations", "difference"):
        table.add_column(name, justify="right")
    for label, key, unit in (("step length", "step_length_m", "mm"), ("speed", "speed_m_s", "mm/s")):
        measured, predicted = summary[key], summary[f"predicted_{key}"]
        difference = f"{100.0 * (measured / predicted - 1.0):+.2f} %" if measured is not None and predicted else "-"
        table.add_row(label, _milli(measured, unit), _milli(predicted, unit), difference)
    table.add_row("distance", _milli(summary["distance_m"], "mm"), "", "")
    table.add_row("measured by", summary["measured_by"] or "-", "", "")
    if (believed := summary["estimate_source"]) and believed != summary["measured_by"]:
        estimate, distance = summary["estimated_distance_m"], summary["distance_m"]
        off = f"{100.0 * (estimate / distance - 1.0):+.2f} %" if distance else "-"
        table.add_row(f"odom, {believed}", _milli(estimate, "mm"), "", off)
    if summary["lateral_m"] is not None:
        table.add_row("aside, to the left", _milli(summary["lateral_m"], "mm"), "", "")
        table.add_row("yaw, to the left", f"{math.degrees(summary['yaw_rad']):.2f}°", "", "")
    table.add_row("time", f"{summary['duration_s']:.2f} s", "", f"{summary['real_time_factor']:.2f} x real time")
    late = f"{summary['late_ticks']} late, {summary['overruns']} overrun"
    table.add_row("ticks", str(summary["ticks"]), "", late)
    for key, (label, text) in LOADS.items():
        if key in summary["peak_loads"]:
            predicted = summary["predicted_peak_loads"].get(key)
            table.add_row(label, text(summary["peak_loads"][key]), "" if predicted is None else text(predicted), "")
    if len(summary["branch_shares"]) > 1:
        shares = [f"{name} {100 * share:.1f} %" for name, share in summary["branch_shares"].items()]
        table.add_row("law in force", "\n".join(shares), "", "")
    print_table(table)
    print_lines(*_notes(summary))


def _milli(value: float | None, unit: str) -> str:
    return "-" if value is None else f"{value * 1e3:.3f} {unit}"


def _notes(summary: dict[str, Any]) -> Iterator[str]:
    if summary["prediction"] != "equations":
        yield f"compared with: {summary['prediction']}"
    if summary["measured_by"] is None:
        if not summary["fault"]:
            yield NOT_MEASURED.format(directory=summary["directory"])
    elif summary["step_length_m"] is None:
        if not summary["fault"] and summary["gait"] != NO_NODE:  # a fault explains itself why the run was short
            yield "The run was shorter than one stride: give it a longer --duration to measure a step."
    elif not summary["valid"]:
        yield f"not valid: {summary['why_invalid']}"
    elif not summary["steady"]:
        yield "The crawl had not settled: give the run a longer --duration for a steady step length."
    elif summary["why_different"]:
        yield f"difference: {summary['why_different']}"
    if summary["sensor_warnings"]:
        yield f"sensors: {summary['sensor_warnings']}"
    for label, key in (("picture", "picture"), ("recording", "recording"), ("everything", "directory")):
        if summary[key]:
            yield f"{label}: {summary[key]}"
