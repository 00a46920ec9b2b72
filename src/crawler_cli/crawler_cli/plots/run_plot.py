"""Draw a run: joint angles, contact velocities with the feet's modes, distance."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crawler_core.types import ContactMode, FloatArray
from crawler_nodes.run_log.log import RunLog

matplotlib.use("Agg")
COLOURS = ("#1f6fb4", "#d1495b", "#3a8f5c", "#8a5fb0", "#c98a1b", "#4c4c4c", "#2aa3a3", "#b05f8a", "#7d5a3c", "#93a1b0")
AXES_WIDTH_LETTERS = 100  # of a legend
MAX_LABEL_LENGTH = 100  # letters of a name that was recorded
MAX_UNWRAPPED_DEG = 720.0  # range of a joint that is drawn as it is
SHADES = ("grey", "tan", "thistle")  # of the branches that a law marks


def draw(log: RunLog, title: str, predicted_speed: float | None, marks: Mapping[str, str], file: Path) -> None:
    """Write the picture of a run to `file`. `marks` are the law's branches to shade, with their labels."""
    figure = Figure(figsize=(10, 8), layout="constrained")
    figure.suptitle(_printable(title), parse_math=False)
    angles, contacts, distance = figure.subplots(3, 1, sharex=True, height_ratios=(1, 1.2, 1))
    _draw_angles(angles, log)
    if log.contacts and log.feet:
        _draw_contacts(contacts, log)
    contacts.set_ylabel("slip velocity [mm/s]\n(bars at the bottom: the foot sticks)", labelpad=8)
    contacts.axhline(0.0, color="black", linewidth=0.5)
    _shade_branches(angles, contacts, log, marks)
    if log.base.poses:
        _draw_distance(distance, log, predicted_speed)
    distance.set_ylabel("distance [mm]")
    distance.set_xlabel("time [s]")
    for axes in (angles, contacts, distance):
        axes.grid(alpha=0.3)
    figure.savefig(file, dpi=110)


def _draw_angles(axes: Axes, log: RunLog) -> None:
    times = np.array([sample[0] for sample in log.joints])
    degrees = np.degrees([sample[1] for sample in log.joints])
    for i, name in enumerate(log.names):
        axes.plot(times, _wrap_turns(degrees[:, i]), color=COLOURS[i % len(COLOURS)], label=_plain(name))
    axes.set_ylabel("joint angle [°]")
    _add_legend(axes, log.names)


def _draw_contacts(axes: Axes, log: RunLog) -> None:
    """Draw the slip velocity of each foot, and a bar while it sticks."""
    times = np.array([sample.time for sample in log.contacts])
    modes = np.array([sample.modes for sample in log.contacts])
    slip = np.array([sample.slip for sample in log.contacts]) * 1e3
    slip[modes == ContactMode.OPEN] = np.nan  # in the air nothing slips
    height = min(0.03, 0.18 / len(log.feet))
    for i, foot in enumerate(log.feet):
        colour = COLOURS[i % len(COLOURS)]
        axes.plot(times, slip[:, i], color=colour, label=_plain(foot))
        low, high = height * i + 0.005, height * (i + 5 / 6) + 0.005
        sticks = modes[:, i] == ContactMode.STICK
        axes.fill_between(times, low, high, where=sticks, color=colour, transform=axes.get_xaxis_transform())
    _add_legend(axes, log.feet)


def _shade_branches(angles: Axes, contacts: Axes, log: RunLog, marks: Mapping[str, str]) -> None:
    """Shade the times in which a marked branch of the law is in force."""
    times = np.array([sample[0] for sample in log.branches])
    for shade, (marked, label) in zip(itertools.cycle(SHADES), marks.items(), strict=False):
        in_force = np.array([branch == marked for _, branch in log.branches])
        if not in_force.any():
            continue
        in_force[1:] |= in_force[:-1].copy()  # until the next sample
        style: dict[str, Any] = {"where": in_force, "step": "post", "color": shade, "alpha": 0.25, "linewidth": 0.0}
        for axes in (angles, contacts):
            own_label = label if axes is angles else None
            axes.fill_between(times, 0.0, 1.0, transform=axes.get_xaxis_transform(), label=own_label, **style)
        _add_legend(angles, [*log.names, *marks.values()])


def _draw_distance(axes: Axes, log: RunLog, predicted_speed: float | None) -> None:
    times, forward, _, lateral, _ = (np.array(column) for column in zip(*log.base.poses, strict=True))
    axes.plot(times, (forward - forward[0]) * 1e3, color=COLOURS[0], label="measured")
    if log.can_drift:
        axes.plot(times, (lateral - lateral[0]) * 1e3, color=COLOURS[1], label="to the left")
    if log.strides.spec.event != "period":
        ends = log.stride_ends(times[0], np.nan)
        at_ends = np.array([log.base.forward_at(end) for end in ends])
        axes.plot(ends, (at_ends - forward[0]) * 1e3, ".", color=COLOURS[0], label="ends of strides")
    if predicted_speed is not None:
        last = (times[-1], (forward[-1] - forward[0]) * 1e3)
        axes.axline(last, slope=predicted_speed * 1e3, color="grey", linestyle="--", label="the equations' speed")
    axes.legend(loc="upper left")


def _add_legend(axes: Axes, names: Sequence[str]) -> None:
    """Add a legend above the axes, in as many columns as fit."""
    if not names:
        return
    columns = max(1, AXES_WIDTH_LETTERS // (max(map(len, names)) + 6))
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, frameon=False, borderaxespad=0.1)


def _plain(text: str) -> str:
    """Return a name for a label: short, printable, and no formula or hidden entry."""
    shown = _printable(text).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text[:MAX_LABEL_LENGTH])


def _wrap_turns(angle: FloatArray) -> FloatArray:
    """Return the degrees of a turning joint within -180 to 180, with a gap where they start again."""
    if not angle.size or np.ptp(angle) <= MAX_UNWRAPPED_DEG:
        return angle
    within = (angle + 180.0) % 360.0 - 180.0
    within[1:][np.abs(np.diff(within)) > 180.0] = np.nan
    return within
