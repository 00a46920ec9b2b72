"""The source of a run's distance: ground truth, external pose or estimate."""

from __future__ import annotations

from crawler_nodes.run_log.log import RunLog

GROUND_TRUTH_SOURCE, RULER_SOURCE = "ground truth", "ruler"
NOT_MEASURED = (
    "The distance is not known: this robot has no ground truth and publishes no odom. Choose an estimator "
    "(backend.estimator), or measure the way with a ruler: crawler plot {directory} --distance 615mm."
)


def measured_by(log: RunLog) -> str:
    """Return the source of `log.base`: ground truth, external pose or estimate; empty where there is none."""
    if log.truth.poses and log.base is log.truth:
        return GROUND_TRUTH_SOURCE
    if not log.estimate.poses:
        return ""
    return estimate_source(log) or GROUND_TRUTH_SOURCE


def estimate_source(log: RunLog) -> str:
    """Return the source of odom in words, such as estimate (stick_slip); empty where it is the truth.

    Earlier stacks, which name no estimator in their diagnostics, published the truth as odom.
    """
    name = log.status.backend.get("estimator", "")
    if name in ("", "truth", "none"):
        return ""
    return f"external pose (with {name})" if log.status.backend.get("external_pose") else f"estimate ({name})"
