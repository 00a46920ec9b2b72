"""The parameters that every backend node takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crawler_core.errors import UserError
from crawler_core.parameters import describe, parameter
from crawler_core.robot.robot_spec import RobotSpec

LONGEST = 1e7  # s of a run: four months, which every counter stands


@dataclass(frozen=True)
class BackendSettings:
    """What every backend node takes."""

    robot: str = parameter("", doc="installed robot, or the path of a robot.yaml; empty: the default", constant=True)
    robot_overrides: str = parameter("", doc="YAML mapping of robot parameters to use instead", constant=True)
    rate: float = parameter(200.0, unit="Hz", lower=10.0, upper=4000.0, doc="ticks per second", constant=True)
    lockstep: bool = parameter(False, doc="wait for the command that answers each state", constant=True)
    real_time_factor: float = parameter(
        1.0, lower=0.0, upper=1000.0, doc="simulated seconds per second; 0: as fast as the ring can, in lockstep only"
    )
    stop_at: float = parameter(
        0.0,
        unit="s",
        lower=0.0,
        upper=LONGEST,
        constant=True,
        doc="the end: simulated time stands still, motors come to rest and are let go; 0: never",
    )
    readers: int = parameter(
        0,
        lower=0,
        upper=100,
        constant=True,
        doc="time starts once so many listen to joint_states, so that they miss nothing",
    )
    autostart: bool = parameter(True, doc="configure and activate at once", constant=True)
    lockstep_timeout: float = parameter(
        2.0, unit="s", lower=0.1, upper=60.0, doc="wall time that lockstep waits for a command before it calls it late"
    )
    answer_timeout: float = parameter(
        0.5,
        unit="s",
        lower=0.0,
        upper=60.0,
        doc="wall time that a paced simulation waits for a command; then it calls it late",
    )
    odom_rate: float = parameter(100.0, unit="Hz", lower=0.1, upper=4000.0, doc="odometry per second of the run's time")
    tf_rate: float = parameter(50.0, unit="Hz", lower=0.1, upper=4000.0, doc="transforms per second of the run's time")


COMMON = {info.name for info in describe(BackendSettings)} - {"robot", "robot_overrides"}


def check_time(settings: BackendSettings) -> None:
    """Raise UserError where the settings of time contradict each other."""
    if settings.real_time_factor == 0.0 and not settings.lockstep:
        raise UserError("backend.real_time_factor = 0 (as fast as possible) needs backend.lockstep = true.")


def own_robot_settings(spec: RobotSpec, kind: str, settings: type) -> dict[str, Any]:
    """What the robot file wants of a backend's own settings, where it wants something else than the backend.

    A settings class that says `like: ClassVar[str] = "other"` takes what the file says of that backend too, as far as
    both have it; what the file says of this one comes first.
    """
    known = {info.name for info in describe(settings)}
    shared = {name: value for name, value in _said(spec, getattr(settings, "like", "")).items() if name in known}
    return {**shared, **{name: value for name, value in _said(spec, kind).items() if name not in COMMON}}


def common_robot_settings(spec: RobotSpec, kind: str, settings: type) -> dict[str, Any]:
    """The same of what every backend takes, with the rate of the robot's ring."""
    said = {**_said(spec, getattr(settings, "like", "")), **_said(spec, kind)}
    return {**robot_rate_setting(spec), **{name: value for name, value in said.items() if name in COMMON}}


def robot_rate_setting(spec: RobotSpec) -> dict[str, float]:
    """The setting `rate` (Hz) that the robot file wants of every ring; empty where it wants none."""
    return {} if spec.rate is None else {"rate": spec.rate}


def _said(spec: RobotSpec, kind: str) -> dict[str, Any]:
    return dict(spec.section("backends").get(kind) or {})
