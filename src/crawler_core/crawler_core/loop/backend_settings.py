"""The parameters of every node and backend node, and the values that a robot file gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crawler_core.errors import UserError
from crawler_core.parameters import describe, parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.sensor_fault import SENSOR_FAULTS, SensorFault
from crawler_core.sensors.sensor_spec import DEFAULT_PROFILE, PROFILES

MAX_RUN_TIME_S = 1e7  # four months, which every counter stands


def reality_setting() -> Any:
    """Return the field of the profile of imperfections, for every class of settings that has it."""
    return parameter(
        DEFAULT_PROFILE,
        choices=(DEFAULT_PROFILE, *PROFILES),
        constant=True,
        doc="imperfections of motors and sensors, from the robot file; default: ideal, and typical on emulated motors",
    )


def seed_setting() -> Any:
    """Return the field of the seed of these imperfections."""
    return parameter(0, lower=0, upper=2**31 - 1, constant=True, doc="of the imperfections: same seed, same run")


@dataclass(frozen=True)
class NodeSettings:
    """Parameters that every node of the control loop takes."""

    robot: str = parameter("", doc="installed robot, or the path of a robot.yaml; empty: the default", constant=True)
    robot_overrides: str = parameter("", doc="YAML mapping of robot parameters to use instead", constant=True)
    rate: float = parameter(
        200.0, unit="Hz", lower=10.0, upper=4000.0, doc="ticks per second of the control loop", constant=True
    )


@dataclass(frozen=True)
class BackendSettings(NodeSettings):
    """Parameters that every backend node takes."""

    lockstep: bool = parameter(False, doc="wait for the command that answers each state", constant=True)
    real_time_factor: float = parameter(
        1.0,
        lower=0.0,
        upper=1000.0,
        doc="simulated seconds per second; 0: as fast as the control loop can, in lockstep only",
    )
    stop_at: float = parameter(
        0.0,
        unit="s",
        lower=0.0,
        upper=MAX_RUN_TIME_S,
        constant=True,
        doc="the end: simulated time stops, motors come to rest and lose their torque; 0: never",
    )
    readers: int = parameter(
        0, lower=0, upper=100, constant=True, doc="subscribers of joint_states to wait for before time starts"
    )
    autostart: bool = parameter(True, doc="configure and activate at once", constant=True)
    lockstep_timeout: float = parameter(
        2.0, unit="s", lower=0.1, upper=60.0, doc="wall time until lockstep counts a command as late"
    )
    answer_timeout: float = parameter(
        0.5, unit="s", lower=0.0, upper=60.0, doc="wall time until a paced simulation counts a command as late"
    )
    command_mode: str = parameter(
        "answers",
        choices=("answers", "open"),
        constant=True,
        doc="commands to follow. answers: those of the controller, each to a state; open: those of any node",
    )
    reality: str = reality_setting()
    seed: int = seed_setting()
    sensor_fail: str = parameter(
        "none",
        choices=SENSOR_FAULTS,
        constant=True,
        doc="a fault of simulated sensors. frozen: the same values again and again; nan: no numbers; biased: wrong by "
        "a constant; late: 0.5 s more delay; gone: no readings; no_voltage, high_voltage: 0 V, twice the voltage of a "
        "battery",
    )
    sensor_fail_after: float = parameter(
        1.0, unit="s", lower=0.0, upper=MAX_RUN_TIME_S, constant=True, doc="of the run's time until the fault"
    )
    sensor_fail_name: str = parameter("", constant=True, doc="sensor of the fault; empty: all")
    estimator: str = parameter(
        "", constant=True, doc="of odom, or none, or truth: that of the simulation; empty: the one of the robot file"
    )
    odom_rate: float = parameter(100.0, unit="Hz", lower=0.1, upper=4000.0, doc="odometry per second of the run's time")
    tf_rate: float = parameter(50.0, unit="Hz", lower=0.1, upper=4000.0, doc="transforms per second of the run's time")

    @property
    def sensor_fault(self) -> SensorFault:
        """The fault of the sensors."""
        return SensorFault(self.sensor_fail, self.sensor_fail_after, self.sensor_fail_name)


MIN_REAL_TIME_FACTOR = 1e-3
COMMON_NAMES = {info.name for info in describe(BackendSettings)} - {"robot", "robot_overrides"}


def check_time_settings(settings: BackendSettings) -> None:
    """Raise UserError where the settings of time contradict each other."""
    if 0.0 < settings.real_time_factor < MIN_REAL_TIME_FACTOR:
        raise UserError(
            f"backend.real_time_factor = {settings.real_time_factor:g} is not allowed: it must be 0 (as fast as "
            f"possible) or at least {MIN_REAL_TIME_FACTOR:g}; a tick would take minutes."
        )
    if settings.real_time_factor == 0.0 and not settings.lockstep:
        raise UserError("backend.real_time_factor = 0 (as fast as possible) needs backend.lockstep = true.")


def own_robot_settings(spec: RobotSpec, kind: str, settings: type) -> dict[str, Any]:
    """Return the robot file's values for a backend's own settings.

    A settings class with `like: ClassVar[str] = "other"` takes the values for that backend too, as far as both have the
    setting; the values for this one come first.
    """
    known = {info.name for info in describe(settings)}
    alike = {name: value for name, value in _values(spec, getattr(settings, "like", "")).items() if name in known}
    return {**alike, **{name: value for name, value in _values(spec, kind).items() if name not in COMMON_NAMES}}


def common_robot_settings(spec: RobotSpec, kind: str, settings: type) -> dict[str, Any]:
    """Return the robot file's values for the settings of every backend, with the robot's rate."""
    values = {**_values(spec, getattr(settings, "like", "")), **_values(spec, kind)}
    return {**robot_rate_setting(spec), **{name: value for name, value in values.items() if name in COMMON_NAMES}}


def robot_rate_setting(spec: RobotSpec) -> dict[str, float]:
    """Return the setting `rate` (Hz) of a robot file; empty where it has none."""
    return {} if spec.rate is None else {"rate": spec.rate}


def _values(spec: RobotSpec, kind: str) -> dict[str, Any]:
    return dict(spec.section("backends").get(kind) or {})
