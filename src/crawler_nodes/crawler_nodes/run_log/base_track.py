"""The path of a robot's base, from odometry."""

from __future__ import annotations

import math
from bisect import bisect_right
from time import monotonic
from typing import NamedTuple

from nav_msgs.msg import Odometry

from crawler_core.gait_metrics.heading import WORLD_HEADING, Heading
from crawler_nodes.messages.base_writer import read_ground_motion
from crawler_nodes.run_log.decimating_buffer import DecimatingBuffer


class BasePose(NamedTuple):
    """The base at one time. For a base that can yaw, forward and lateral are path lengths along its heading."""

    time: float  # s
    forward: float  # m
    speed: float  # m/s, forward
    lateral: float  # m, to the left
    yaw: float  # rad, unwrapped


class BaseTrack:
    """The base since the log was made or cleared. Without yaw, forward is the world's x axis."""

    def __init__(self, can_yaw: bool, max_samples: int) -> None:
        self.poses: DecimatingBuffer[BasePose] = DecimatingBuffer(max_samples)
        self.heading = WORLD_HEADING
        self.received_at = monotonic()  # s on the steady clock, of the latest message
        self._can_yaw = can_yaw
        self._position = (0.0, 0.0)  # m, in the world

    @property
    def now(self) -> float:
        """The time of the latest odometry, s; NaN before the first."""
        return self.poses[-1].time if self.poses else math.nan

    @property
    def distance(self) -> float:
        """The way forward since the first odometry, m."""
        return self.poses[-1].forward - self.poses[0].forward if self.poses else 0.0

    @property
    def lateral(self) -> float:
        """The way to the left since the first odometry, m."""
        return self.poses[-1].lateral - self.poses[0].lateral if self.poses else 0.0

    @property
    def yaw(self) -> float:
        """The turn to the left since the first odometry, rad."""
        return self.poses[-1].yaw - self.poses[0].yaw if self.poses else 0.0

    def clear(self) -> None:
        """Remove all but the latest pose."""
        latest = self.poses[-1:]
        self.poses.clear()
        for pose in latest:
            self.poses.append(pose)

    def add(self, time: float, message: Odometry) -> None:
        moved = read_ground_motion(message, self._can_yaw)
        last = self.poses[-1] if self.poses else None
        before, self.heading = self.heading, moved.heading
        (x0, y0), self._position = self._position, (moved.x, moved.y)
        if not self._can_yaw:
            pose = BasePose(time, moved.x, moved.forward, moved.y, 0.0)
        elif last is None:
            pose = BasePose(time, 0.0, moved.forward, 0.0, moved.heading.yaw)
        else:
            turn = math.remainder(moved.heading.yaw - before.yaw, 2.0 * math.pi)
            mean_yaw = before.yaw + 0.5 * turn
            mean = Heading(math.cos(mean_yaw), math.sin(mean_yaw))
            step = (moved.x - x0, moved.y - y0)
            forward, lateral = last.forward + mean.forward(*step), last.lateral + mean.lateral(*step)
            pose = BasePose(time, forward, moved.forward, lateral, last.yaw + turn)
        self.poses.append(pose)

    def forward_at(self, time: float) -> float:
        """Return the way forward at a time, by the cubic through positions and speeds of two poses; NaN outside."""
        i = bisect_right(self.poses, time, key=lambda pose: pose.time)
        if i == len(self.poses) and time == self.now:
            return self.poses[-1].forward
        if i == 0 or i == len(self.poses):
            return math.nan
        (t0, x0, v0, _, _), (t1, x1, v1, _, _) = self.poses[i - 1], self.poses[i]
        h = t1 - t0
        s = (time - t0) / h
        bend = (1.0 - s) * (h * v0 - (x1 - x0)) - s * (h * v1 - (x1 - x0))
        return x0 + s * (x1 - x0) + s * (1.0 - s) * bend
