"""What the robot file says of a CAN bus with ODrives and of a joint on it."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.parameters import parameter


@dataclass(frozen=True)
class OdriveSettings:
    """Keys of `hardware.buses.<name>` with `kind: odrive`."""

    port: str = parameter(
        "can0", constant=True, doc="a SocketCAN interface, or <interface>:<channel> as python-can calls them"
    )
    bitrate: int = parameter(
        250_000, low=10_000, high=1_000_000, constant=True, doc="bits per second, as set in the drives"
    )
    heartbeat_period: float = parameter(
        0.1, unit="s", low=0.005, high=1.0, constant=True, doc="between heartbeats, as set in the drives"
    )
    estimate_period: float = parameter(
        0.01,
        unit="s",
        low=0.0005,
        high=0.1,
        constant=True,
        doc="between estimates, and between currents, as set in the drives and as emulated ones have it",
    )
    missed_heartbeats: int = parameter(
        3, low=2, high=20, constant=True, doc="so many periods without a heartbeat are a fault"
    )
    watchdog: float = parameter(
        0.5,
        unit="s",
        low=0.0,
        high=60.0,
        constant=True,
        doc="of the axes, as set in the drives and as emulated ones have it; 0: off",
    )
    reply_timeout: float = parameter(
        0.05, unit="s", low=0.005, high=1.0, constant=True, doc="until the answer to a remote frame is lost"
    )


@dataclass(frozen=True)
class OdriveJoint:
    """Keys of `hardware.joints.<name>` on such a bus."""

    mode: str = parameter(
        "position",
        choices=("position", "velocity", "torque"),
        constant=True,
        doc="what the drive regulates; in the other two, the loop round it is closed here; torque: for effort joints",
    )
    torque_constant: float = parameter(
        0.0, unit="N m/A", low=0.0, high=10.0, constant=True, doc="of the motor: 8.27 over its kV; must be given"
    )
    max_current: float = parameter(
        0.0, unit="A", low=0.0, high=200.0, constant=True, doc="that the motor stands for long; must be given"
    )
    wrap: float = parameter(
        0.0,
        unit="turns",
        low=0.0,
        high=10000.0,
        constant=True,
        doc="range after which the drive's angle starts again at 0, where its circular mode is on; 0: it never does",
    )
    velocity_scale: float = parameter(
        1000.0, low=1.0, high=32767.0, constant=True, doc="input_vel_scale, as set in the drive"
    )
    torque_scale: float = parameter(
        1000.0, low=1.0, high=32767.0, constant=True, doc="input_torque_scale, as set in the drive"
    )
    position_gain: float = parameter(
        20.0, unit="1/s", low=0.0, high=200.0, constant=True, doc="mode velocity: rate for each rad of error"
    )
    stiffness: float = parameter(
        2.0, unit="N m/rad", low=0.0, high=1000.0, constant=True, doc="mode torque: at the joint"
    )
    damping: float = parameter(
        0.1, unit="N m s/rad", low=0.0, high=100.0, constant=True, doc="mode torque: at the joint"
    )
