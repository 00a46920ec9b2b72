"""Delay odometry by a fixed time, so that it is used in the same tick whenever it arrives."""

from __future__ import annotations

from collections import deque

from crawler_models.estimation.base_motion import BaseMotion

ODOMETRY_DELAY_NS = 20_000_000  # from its stamp to its use: in lockstep its arrival depends on no chance


class OdometryDelay:
    """Holds odometry back until it is `ODOMETRY_DELAY_NS` old."""

    def __init__(self) -> None:
        self._waiting: deque[BaseMotion] = deque()

    def add(self, motion: BaseMotion) -> None:
        self._waiting.append(motion)

    def take(self, time_ns: int) -> list[BaseMotion]:
        """Return, and forget, the odometry that is old enough at `time_ns`."""
        due = []
        while self._waiting and self._waiting[0].time_ns <= time_ns - ODOMETRY_DELAY_NS:
            due.append(self._waiting.popleft())
        return due

    def clear(self) -> None:
        self._waiting.clear()
