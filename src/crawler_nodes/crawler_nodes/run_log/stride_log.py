"""The strides of a robot whose strides end with an event of a foot."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Any

from crawler_core.robot.robot_spec import StrideSpec
from crawler_core.types import ContactMode
from crawler_nodes.run_log.stride_loads import StrideLoads

ON_GROUND = (ContactMode.STICK, ContactMode.SLIP_POS, ContactMode.SLIP_NEG)


class StrideLog:
    """The ends of strides, and the loads of the strides that end there."""

    def __init__(self, spec: StrideSpec, max_strides: int) -> None:
        self.spec = spec
        self.events: deque[float] = deque(maxlen=max_strides)  # s
        self.loads: deque[StrideLoads] = deque(maxlen=max_strides)
        self._current = StrideLoads()  # of the stride under way
        self._contact_stamp = math.nan  # s, of the latest contacts
        self._is_landed: bool | None = None  # the foot whose events end strides is on the ground

    @property
    def by_event(self) -> bool:
        """True where strides end with an event; otherwise they take the gait's period."""
        return self.spec.event != "period"

    def clear(self) -> None:
        self.events.clear()
        self.loads.clear()

    def add_contacts(self, stamp: float, time: float, entries: Sequence[Any]) -> None:
        """Add the feet of a ContactStateArray at a stamp, which is `time` in the log (s)."""
        if stamp > self._contact_stamp:
            self._current.add_contacts(entries, stamp - self._contact_stamp)
        self._contact_stamp = stamp
        for entry in entries:
            if entry.foot == self.spec.foot and entry.mode != ContactMode.UNKNOWN:
                self._add_foot_state(time, entry.mode in ON_GROUND)

    def add_effort(self, effort: float, velocity: float) -> None:
        """Add a motor's effort (N·m) at a velocity (rad/s)."""
        self._current.add_effort(effort, velocity)

    def _add_foot_state(self, time: float, is_landed: bool) -> None:
        before, self._is_landed = self._is_landed, is_landed
        if before is None or before is is_landed or is_landed != (self.spec.event == "touch_down"):
            return
        if not self.events or time - self.events[-1] >= self.spec.min_interval:
            self.events.append(time)
            self.loads.append(self._current)
            self._current = StrideLoads()
