"""The robot file's keys for a board and a joint on it."""

from __future__ import annotations

from dataclasses import dataclass

from hw_drivers.bus.setting import setting


@dataclass(frozen=True)
class BoardSettings:
    """Keys of `hardware.buses.<name>` with `kind: board`."""

    port: str = setting("/dev/ttyACM0", doc="the serial port")
    baud: int = setting(1_000_000, lower=9600, upper=12_000_000, doc="bits per second; USB goes at its own rate")
    reply_timeout: float = setting(
        0.01, unit="s", lower=0.001, upper=1.0, doc="beyond the time on the wire, until an answer is lost"
    )
    watchdog: float = setting(
        0.1, unit="s", lower=0.005, upper=1.0, doc="without setpoints until the board takes the torque off"
    )
    lowest_supply: float = setting(0.0, unit="V", lower=0.0, upper=100.0, doc="a fault below it; must be given")
    highest_supply: float = setting(0.0, unit="V", lower=0.0, upper=100.0, doc="a fault above it; must be given")


@dataclass(frozen=True)
class BoardJoint:
    """Keys of `hardware.joints.<name>` on such a bus."""

    encoder: str = setting(
        "quadrature",
        choices=("quadrature", "absolute"),
        doc="quadrature: counts edges, with an index on the output shaft; absolute: gives the angle within a turn",
    )
    counts: int = setting(
        0, lower=0, upper=2**24, doc="per turn of the encoder, of quadrature all four edges; must be given"
    )
    on_output: bool = setting(
        False, doc="the encoder sits behind the gear, as an absolute one must, and not on the motor"
    )
    torque_constant: float = setting(0.0, unit="N m/A", lower=0.0, upper=10.0, doc="of the motor; must be given")
    resistance: float = setting(0.0, unit="ohm", lower=0.0, upper=1000.0, doc="of its winding; must be given")
    max_current: float = setting(0.0, unit="A", lower=0.0, upper=500.0, doc="limit of motor and bridge; must be given")
    regulated: bool = setting(
        True,
        doc="efforts are the shaft's, the board makes up for the voltage that the turning motor induces; false: they "
        "are those of the motor standing still, which brakes itself as it turns, as the joint's damping says",
    )
    stiffness: float = setting(
        0.0, unit="N m/rad", lower=0.0, upper=1e5, doc="of positions, at the joint; must be given for them"
    )
    damping: float = setting(
        0.0,
        unit="N m s/rad",
        lower=0.0,
        upper=1e4,
        doc="of positions and of the index search; must be given for positions",
    )
    search_velocity: float = setting(
        1.0, unit="rad/s", lower=-100.0, upper=100.0, doc="at the joint, while it searches its index"
    )
    search_effort: float = setting(
        0.0, unit="N m", lower=0.0, upper=1e4, doc="its limit meanwhile; 0: a quarter of the joint's effort"
    )
    reverse_motor: bool = setting(False, doc="a positive voltage turns the shaft backwards")
    reverse_encoder: bool = setting(False, doc="the counts fall as the shaft turns forwards")
    temperature_limit: float = setting(127.0, unit="°C", lower=30.0, upper=127.0, doc="a fault from here on; 127: none")
    stall_time: float = setting(
        0.0, unit="s", lower=0.0, upper=60.0, doc="at a standstill with all current; 0: no fault"
    )
    friction: float = setting(
        0.0, unit="N m", lower=0.0, upper=1e4, doc="of gear and motor at the joint, of emulated ones"
    )
    inertia: float = setting(
        0.0,
        unit="kg m^2",
        lower=0.0,
        upper=1e3,
        doc="of the rotor at the joint, of emulated ones that turn nothing else; 0: its full torque makes 1000 rad/s^2",
    )
