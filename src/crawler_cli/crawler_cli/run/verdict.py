"""Judge whether a run did what was asked, in sentences for the user."""

from __future__ import annotations

from crawler_core.safety.supervisor import MotionState
from crawler_nodes.run_log.log import RunLog

MAX_LATE_SHARE = 0.01  # of the ticks: the step length is off by about the share of ticks without a command
MAX_UNREFERENCED_SHARE = 0.01  # of the time that the controller may be without a reference
MIN_COUNT = 5  # late ticks, or samples without a reference, that count at all: a run may be short


def why_not_done(log: RunLog, failure: str, *, may_relax: bool = False) -> str:
    """Return why the robot did not do what was asked, or an empty string. `failure` ended the run.

    A robot that a user's own node commands `may_relax` when that node ends.
    """
    if failure:
        return failure
    for motion, text in log.status.stops.items():
        if may_relax and motion == MotionState.RELAXED.value:
            continue
        remedy = "call reset and enable" if motion == "e-stopped" else "call enable"
        return f"the robot was {motion} during the run ({text.rstrip('.')}): it goes on when you {remedy}."
    return ""


def why_invalid(log: RunLog, *, can_lockstep: bool) -> str:
    """Return why the measured values do not describe the gait, or an empty string.

    Only a simulation `can_lockstep`.
    """
    ticks, late = (float(log.status.backend.get(key, 0)) for key in ("ticks", "late_ticks"))
    if late >= MIN_COUNT and late > MAX_LATE_SHARE * ticks:
        remedies = "lower backend.rate, or run with --lockstep" if can_lockstep else "or lower backend.rate"
        return (
            f"{100.0 * late / ticks:.1f} % of the ticks had no command in time, which bends the result: "
            f"free the machine, {remedies}."
        )
    missing = log.samples_without_reference
    if missing >= MIN_COUNT and missing > MAX_UNREFERENCED_SHARE * log.controller_samples:
        return (
            f"for {100.0 * missing / log.controller_samples:.1f} % of the time the controller had no reference: "
            "free the machine, or see the gait node's log."
        )
    return ""
