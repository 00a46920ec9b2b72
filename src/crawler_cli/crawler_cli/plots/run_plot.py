"""The picture of a run: joint angles, contact velocities with the feet's modes, distance."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_core.types import ContactMode, FloatArray
from crawler_nodes.run_log.log import RunLog

matplotlib.use("Agg")
COLOURS = ("#1f6fb4", "#d1495b", "#3a8f5c", "#8a5fb0", "#c98a1b", "#4c4c4c", "#2aa3a3", "#b05f8a", "#7d5a3c", "#93a1b0")
LETTERS = 100  # that are as long as the axes are wide
MOST_TURNED = 720.0  # degrees of a joint that are drawn as they are
SHADES = ("grey", "tan", "thistle")  # of the branches that a law has marked


def draw(log: RunLog, title: str, predicted_speed: float | None, marks: Mapping[str, str], file: Path) -> None:
    """Write the picture of a run to `file`. `marks` are the law's branches that are shaded, and what they say."""
    figure = Figure(figsize=(10, 8), layout="constrained")
    figure.suptitle(title)
    angles, contacts, distance = figure.subplots(3, 1, sharex=True, height_ratios=(1, 1.2, 1))
    t = np.array([sample[0] for sample in log.joints])
    q = np.degrees([sample[1] for sample in log.joints])
    for i, name in enumerate(log.names):
        angles.plot(t, _within_a_turn(q[:, i]), color=COLOURS[i % len(COLOURS)], label=name)
    angles.set_ylabel("joint angle [°]")
    _legend(angles, log.names)
    if log.contacts:
        tc = np.array([sample.time for sample in log.contacts])
        modes = np.array([sample.modes for sample in log.contacts])
        slip = np.array([sample.slip for sample in log.contacts]) * 1e3
        slip[modes == ContactMode.OPEN] = np.nan  # in the air nothing slips
        thick = min(0.03, 0.18 / len(log.feet))
        for i, foot in enumerate(log.feet):
            colour = COLOURS[i % len(COLOURS)]
            contacts.plot(tc, slip[:, i], color=colour, label=foot)
            low, high = thick * i + 0.005, thick * (i + 5 / 6) + 0.005
            contacts.fill_between(
                tc,
                low,
                high,
                where=modes[:, i] == ContactMode.STICK,
                color=colour,
                transform=contacts.get_xaxis_transform(),
            )
        _legend(contacts, log.feet)
    for shade, (marked, label) in zip(itertools.cycle(SHADES), marks.items(), strict=False):
        in_force = np.array([branch == marked for _, branch in log.branches])
        if not in_force.any():
            continue
        in_force[1:] |= in_force[:-1].copy()  # until the next sample
        tb = np.array([sample[0] for sample in log.branches])
        for axes in (angles, contacts):
            axes.fill_between(
                tb,
                0.0,
                1.0,
                where=in_force,
                step="post",
                color=shade,
                alpha=0.25,
                linewidth=0.0,
                transform=axes.get_xaxis_transform(),
                label=label if axes is angles else None,
            )
        _legend(angles, [*log.names, *marks.values()])
    contacts.set_ylabel("slip velocity [mm/s]\n(bars at the bottom: the foot sticks)", labelpad=8)
    contacts.axhline(0.0, color="black", linewidth=0.5)
    if log.base.poses:
        to, x, _, aside, _ = (np.array(column) for column in zip(*log.base.poses, strict=True))
        distance.plot(to, (x - x[0]) * 1e3, color=COLOURS[0], label="measured")
        if log.can_drift:
            distance.plot(to, (aside - aside[0]) * 1e3, color=COLOURS[1], label="to the left")
        if log.strides.spec.event != "period":
            cuts = log.stride_ends(to[0], np.nan)
            forward = np.array([log.base.forward_at(cut) for cut in cuts])
            distance.plot(cuts, (forward - x[0]) * 1e3, ".", color=COLOURS[0], label="ends of strides")
        if predicted_speed is not None:
            end = (to[-1], (x[-1] - x[0]) * 1e3)
            distance.axline(
                end, slope=predicted_speed * 1e3, color="grey", linestyle="--", label="the equations' speed"
            )
        distance.legend(loc="upper left")
    distance.set_ylabel("distance [mm]")
    distance.set_xlabel("time [s]")
    for axes in (angles, contacts, distance):
        axes.grid(alpha=0.3)
    figure.savefig(file, dpi=110)


def _legend(axes: Axes, names: Sequence[str]) -> None:
    """Above the axes, in as many columns as fit."""
    columns = max(1, LETTERS // (max(map(len, names)) + 6))
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, frameon=False, borderaxespad=0.1)


def _within_a_turn(angle: FloatArray) -> FloatArray:
    """Degrees of a joint that turns on and on brought back into -180 to 180, with a gap where it starts again."""
    if not angle.size or np.ptp(angle) <= MOST_TURNED:
        return angle
    within = (angle + 180.0) % 360.0 - 180.0
    within[1:][np.abs(np.diff(within)) > 180.0] = np.nan
    return within
