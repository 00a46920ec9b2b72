"""The robot file's keys for a CAN bus with ODrives and a joint on it."""

from __future__ import annotations

from dataclasses import dataclass

from hw_drivers.bus.setting import setting


@dataclass(frozen=True)
class OdriveSettings:
    """Keys of `hardware.buses.<name>` with `kind: odrive`."""

    port: str = setting("can0", doc="a SocketCAN interface, or <interface>:<channel> as python-can calls them")
    bitrate: int = setting(250_000, lower=10_000, upper=1_000_000, doc="bits per second, as set in the drives")
    heartbeat_period: float = setting(
        0.1, unit="s", lower=0.005, upper=1.0, doc="between heartbeats, as set in the drives"
    )
    estimate_period: float = setting(
        0.01,
        unit="s",
        lower=0.0005,
        upper=0.1,
        doc="between estimates, and between currents, as set in the drives and as emulated ones have it",
    )
    missed_heartbeats: int = setting(3, lower=2, upper=20, doc="periods without a heartbeat until it is a fault")
    watchdog: float = setting(
        0.5,
        unit="s",
        lower=0.0,
        upper=60.0,
        doc="of the axes, as set in the drives and as emulated ones have it; 0: off",
    )
    reply_timeout: float = setting(
        0.05, unit="s", lower=0.005, upper=1.0, doc="until the answer to a remote frame is lost"
    )


@dataclass(frozen=True)
class OdriveJoint:
    """Keys of `hardware.joints.<name>` on such a bus."""

    mode: str = setting(
        "position",
        choices=("position", "velocity", "torque"),
        doc="what the drive regulates; in the other two, the loop round it is closed here; torque: for effort joints",
    )
    torque_constant: float = setting(
        0.0, unit="N m/A", lower=0.0, upper=10.0, doc="of the motor: 8.27 over its kV; must be given"
    )
    max_current: float = setting(
        0.0, unit="A", lower=0.0, upper=200.0, doc="the motor's continuous current; must be given"
    )
    wrap: float = setting(
        0.0,
        unit="turns",
        lower=0.0,
        upper=10000.0,
        doc="range after which the drive's angle starts again at 0, where its circular mode is on; 0: it never does",
    )
    velocity_scale: float = setting(1000.0, lower=1.0, upper=32767.0, doc="input_vel_scale, as set in the drive")
    torque_scale: float = setting(1000.0, lower=1.0, upper=32767.0, doc="input_torque_scale, as set in the drive")
    position_gain: float = setting(
        20.0, unit="1/s", lower=0.0, upper=200.0, doc="mode velocity: rate for each rad of error"
    )
    stiffness: float = setting(2.0, unit="N m/rad", lower=0.0, upper=1000.0, doc="mode torque: at the joint")
    damping: float = setting(0.1, unit="N m s/rad", lower=0.0, upper=100.0, doc="mode torque: at the joint")
