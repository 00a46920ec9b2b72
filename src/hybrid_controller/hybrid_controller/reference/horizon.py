"""One horizon of the gait's reference: grid points, and the quintics between them."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from crawler_core.errors import UserError
from crawler_core.motion import evaluate_quintic, quintic_coefficients
from crawler_core.types import FloatArray
from crawler_nodes.messages.header import stamp_ns


class ReferencePoint(NamedTuple):
    """Reference of the joints at one time. For so few joints lists of floats are faster than arrays."""

    position: list[float]  # rad
    velocity: list[float]  # rad/s
    acceleration: list[float]  # rad/s²


class Horizon:
    """Grid points with quintics between them. Its last instant belongs to the next horizon.

    A time between two given points has the same bits in every horizon that holds both.
    """

    def __init__(
        self, time_ns: Sequence[int], position: FloatArray, velocity: FloatArray, acceleration: FloatArray
    ) -> None:
        self.begin_ns, self.end_ns = time_ns[0], time_ns[-1]
        self._times = list(time_ns)
        self._lengths = [(b - a) * 1e-9 for a, b in itertools.pairwise(time_ns)]
        q, v, a = position, velocity, acceleration
        h = np.array(self._lengths)[:, np.newaxis]
        c = quintic_coefficients(h, q[:-1], v[:-1], a[:-1], q[1:], v[1:], a[1:])
        self._cells: list[list[list[float]]] = np.moveaxis(c, 0, -1).tolist()  # cell, joint, power

    def covers(self, time_ns: int) -> bool:
        """Return True if `at` is defined for this time."""
        return self.begin_ns <= time_ns < self.end_ns

    def at(self, time_ns: int) -> ReferencePoint:
        """Return the reference at a time that is covered."""
        cell = bisect_right(self._times, time_ns) - 1
        h = self._lengths[cell]
        s = (time_ns - self._times[cell]) * 1e-9 / h
        q, v, a = [], [], []
        for c in self._cells[cell]:
            x, dx, ddx = evaluate_quintic(c, h, s)
            q.append(x)
            v.append(dx)
            a.append(ddx)
        return ReferencePoint(q, v, a)


def read_trajectory(message: Any, joints: Sequence[str]) -> Horizon:
    """Return the horizon of a trajectory_msgs/JointTrajectory, with its joints in the order of `joints`.

    Raises UserError for joints that are not exactly `joints`, fewer than two points, missing or non-finite numbers and
    times that do not rise.
    """
    names = list(message.joint_names)
    if sorted(names) != sorted(joints):
        raise UserError(
            f"gait_reference names the joints {', '.join(names) or 'none'}: it must name {', '.join(joints)}."
        )
    points = message.points
    if len(points) < 2:
        raise UserError(f"gait_reference has {len(points)} points: it must have at least two.")
    start = stamp_ns(message.header.stamp)
    time_ns = [start + stamp_ns(point.time_from_start) for point in points]
    for i, (earlier, later) in enumerate(itertools.pairwise(time_ns)):
        if later <= earlier:
            raise UserError(f"point {i + 1} of gait_reference is not later than point {i}: times must rise.")
    order = [names.index(joint) for joint in joints]
    table = []
    for field in ("positions", "velocities", "accelerations"):
        rows = [getattr(point, field) for point in points]
        for i, row in enumerate(rows):
            if len(row) != len(names):
                raise UserError(f"point {i} of gait_reference has {len(row)} {field}: it must have {len(names)}.")
        values = np.array(rows)[:, order]
        finite = np.isfinite(values)
        if not finite.all():
            point, joint = np.argwhere(~finite)[0]
            raise UserError(
                f"point {point} of gait_reference has a number in the {field} of {joints[joint]} that is not finite."
            )
        table.append(values)
    return Horizon(time_ns, *table)
