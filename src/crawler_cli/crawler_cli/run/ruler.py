"""A distance that was measured with a ruler, in place of what a run was measured by."""

from __future__ import annotations

import argparse
import json
import math
import re
from pathlib import Path
from typing import Any

from crawler_cli.console.output import finite
from crawler_core.errors import UserError
from crawler_core.files import replace_file
from crawler_nodes.run_log.measure_source import RULER_SOURCE

UNITS_M = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
MAX_DISTANCE_M = 1e4
LENGTH = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(mm|cm|m)\s*")


def length(text: str) -> float:
    """Parse an argument that is a length with its unit, such as 615mm; return metres."""
    match = LENGTH.fullmatch(text)
    value = float(match[1]) * UNITS_M[match[2]] if match else math.nan
    if not abs(value) <= MAX_DISTANCE_M:
        raise argparse.ArgumentTypeError(f"'{text}' is no length: give a number with mm, cm or m, such as 615mm")
    return value


def read_summary(directory: Path) -> dict[str, Any]:
    """Return the summary of the run in `directory`. Raises UserError where there is none."""
    file = directory / "summary.json"
    try:
        summary = json.loads(file.read_text())
        if not isinstance(summary, dict) or "stride_period_s" not in summary:
            raise ValueError("it is none of a run")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(
            f"--distance needs the summary of a run, and {file} cannot be read: {reason}. Give the directory of a run."
        ) from None
    return summary


def with_ruler(summary: dict[str, Any], distance: float) -> dict[str, Any]:
    """Return the summary with the distance (m) of a ruler.

    Step and speed change in the ratio of the distances, since the estimate knows the share of the steady strides. For
    a run without an estimate they are means over the whole run.
    """
    believed, period = summary.get("distance_m"), summary.get("stride_period_s") or summary.get("gait_period_s")
    step, speed = summary.get("step_length_m"), summary.get("speed_m_s")
    if believed and step is not None and speed is not None:
        step, speed = step * distance / believed, speed * distance / believed
    elif summary["duration_s"] > 0.0:
        speed = distance / summary["duration_s"]
        step = speed * period if period else None
    expected = summary.get("predicted_step_length_m")
    off = 100.0 * (step / expected - 1.0) if step is not None and expected else None
    if summary.get("measured_by") != RULER_SOURCE:
        summary = {**summary, "estimated_distance_m": believed, "estimate_source": summary.get("measured_by")}
    return {
        **summary,
        "distance_m": distance,
        "measured_by": RULER_SOURCE,
        "step_length_m": step,
        "speed_m_s": speed,
        "difference_percent": off,
    }


def save_summary(directory: Path, summary: dict[str, Any]) -> None:
    """Write the summary of the run in `directory`. Raises UserError."""
    file = directory / "summary.json"
    replace_file(file, lambda part: Path(part).write_text(json.dumps(finite(summary), indent=2) + "\n"))
