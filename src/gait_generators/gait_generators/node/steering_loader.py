"""Loads the velocity map of a gait in a thread, since equations may take seconds for it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.steering.trimmed_steering import TrimmedSteering
from gait_generators.steering.velocity_steering import VelocitySteering

MAX_WAIT_S = 0.05  # for a map that is there at once


class SteeringLoader:
    """The steering of one gait, once it is loaded. While another one loads, the present one is used."""

    def __init__(self, spec: RobotSpec, gait: str, values: Mapping[str, Any], max_trim: float) -> None:
        self.problem = ""  # why there is no steering
        self._spec, self._gait, self._values, self._max_trim = spec, gait, dict(values), max_trim
        self._steering: TrimmedSteering | None = None
        self._results: list[TrimmedSteering | str] = []  # of the thread, the newest last
        self._thread: threading.Thread | None = None
        self._is_wanted = False

    @property
    def is_new(self) -> bool:
        """Return True if a steering has been loaded that `poll` has not returned yet."""
        return bool(self._results) and not self.is_loading

    @property
    def is_loading(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Begin to load, where that has not happened yet."""
        if not self._is_wanted:
            self._is_wanted = True
            self._load()

    def change(self, values: Mapping[str, Any]) -> None:
        """Load again with other parameters of the gait, where it was loaded before."""
        self._values = dict(values)
        if self._is_wanted:
            self._load()

    def poll(self) -> TrimmedSteering | None:
        """Return the steering; None while it is loading for the first time, and where there is none."""
        if self.is_new:
            values, self._results = self._results, []
            newest = values[-1]
            if isinstance(newest, str):
                self.problem, self._steering = newest, None
            else:
                self.problem, self._steering = "", newest
        return self._steering

    def _load(self) -> None:
        before, values = self._thread, self._values

        def load() -> None:
            if before is not None:
                before.join()
            try:
                steering = VelocitySteering(self._spec, self._gait, values)
                self._results.append(TrimmedSteering(steering, self._max_trim))
            except UserError as error:
                self._results.append(str(error))
            except Exception as error:  # of a user's own equations, perhaps
                self._results.append(f"cmd_vel cannot drive the gait '{self._gait}': its velocity map fails: {error!r}")

        self._thread = threading.Thread(target=load, daemon=True, name="velocity map")
        self._thread.start()
        self._thread.join(MAX_WAIT_S)
