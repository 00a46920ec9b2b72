"""Whether a run did what was asked of it, and if not, why: a sentence for a person, an exit code for a program."""

from __future__ import annotations

from crawler_nodes.run_log.log import RunLog

MOST_LATE = 0.01  # of the ticks: the step length is off by about as much as there are ticks without a command
MOST_ALONE = 0.01  # of the time that the controller may be without a reference
FEWEST = 5  # late ticks, or samples of a controller left alone, that count at all: a run may be short


def why_not_done(log: RunLog, failure: str) -> str:
    """Why the robot did not do what was asked, in a sentence; empty where it did. `failure` ended the run."""
    if failure:
        return failure
    for motion, text in log.halts.items():
        remedy = "call reset and enable" if motion == "e-stopped" else "call enable"
        return f"the robot was {motion} during the run ({text.rstrip('.')}): it goes on when you {remedy}."
    return ""


def why_invalid(log: RunLog) -> str:
    """Why what was measured says nothing about the gait, in a sentence; empty where it does."""
    ticks, late = (float(log.backend.get(key, 0)) for key in ("ticks", "late_ticks"))
    if late >= FEWEST and late > MOST_LATE * ticks:
        return (
            f"{100.0 * late / ticks:.1f} % of the ticks had no command in time, which bends the result: "
            "free the machine, lower backend.rate, or run with --lockstep."
        )
    if log.samples_without_reference >= FEWEST and log.samples_without_reference > MOST_ALONE * log.controller_samples:
        return (
            f"for {100.0 * log.samples_without_reference / log.controller_samples:.1f} % of the time the controller had no reference: "
            "free the machine, or see what the gait node says in its log."
        )
    return ""
