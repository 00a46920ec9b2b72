"""The description of a kind of backend, by which the stack finds and starts it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crawler_core.robot.robot_spec import RobotSpec


@dataclass(frozen=True)
class BackendEntry:
    """One kind of backend."""

    package: str
    executable: str
    backend: Any  # the class; it takes a RobotSpec, its settings and the length of a tick in s
    settings: type  # a dataclass of crawler_core parameters
    check: Callable[[RobotSpec, Any], object] = lambda spec, settings: None  # UserError for a robot that does not fit

    @property
    def simulated(self) -> bool:
        return self.backend.simulated
