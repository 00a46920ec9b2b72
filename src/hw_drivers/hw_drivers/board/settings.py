"""What the robot file says of a board and of a joint on it."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.parameters import parameter


@dataclass(frozen=True)
class BoardSettings:
    """Keys of `hardware.buses.<name>` with `kind: board`."""

    port: str = parameter("/dev/ttyACM0", constant=True, doc="the serial port")
    baud: int = parameter(
        1_000_000, low=9600, high=12_000_000, constant=True, doc="bits per second; USB goes at its own rate"
    )
    reply_timeout: float = parameter(
        0.01, unit="s", low=0.001, high=1.0, constant=True, doc="beyond the time on the wire until an answer is lost"
    )
    watchdog: float = parameter(
        0.1, unit="s", low=0.005, high=1.0, constant=True, doc="without setpoints until the board takes the torque off"
    )
    lowest_supply: float = parameter(
        0.0, unit="V", low=0.0, high=100.0, constant=True, doc="below it is a fault; must be given"
    )
    highest_supply: float = parameter(
        0.0, unit="V", low=0.0, high=100.0, constant=True, doc="above it is a fault; must be given"
    )


@dataclass(frozen=True)
class BoardJoint:
    """Keys of `hardware.joints.<name>` on such a bus."""

    encoder: str = parameter(
        "quadrature",
        choices=("quadrature", "absolute"),
        constant=True,
        doc="quadrature: counts edges, with an index on the output shaft; absolute: tells the angle within a turn",
    )
    counts: int = parameter(
        0, low=0, high=2**24, constant=True, doc="per turn of the encoder, of quadrature all four edges; must be given"
    )
    on_output: bool = parameter(
        False, constant=True, doc="the encoder sits behind the gear, as an absolute one must, and not on the motor"
    )
    torque_constant: float = parameter(
        0.0, unit="N m/A", low=0.0, high=10.0, constant=True, doc="of the motor; must be given"
    )
    resistance: float = parameter(
        0.0, unit="ohm", low=0.0, high=1000.0, constant=True, doc="of its winding; must be given"
    )
    max_current: float = parameter(
        0.0, unit="A", low=0.0, high=500.0, constant=True, doc="that motor and bridge stand; must be given"
    )
    regulated: bool = parameter(
        True,
        constant=True,
        doc="efforts are the shaft's, the board makes up for the voltage that the turning motor induces; false: they "
        "are those of the motor standing still, which brakes itself as it turns, as the joint's damping says",
    )
    stiffness: float = parameter(
        0.0, unit="N m/rad", low=0.0, high=1e5, constant=True, doc="of positions, at the joint; must be given for them"
    )
    damping: float = parameter(
        0.0, unit="N m s/rad", low=0.0, high=1e4, constant=True, doc="of positions and of the index search, likewise"
    )
    search_velocity: float = parameter(
        1.0, unit="rad/s", low=-100.0, high=100.0, constant=True, doc="at the joint, while it searches its index"
    )
    search_effort: float = parameter(
        0.0, unit="N m", low=0.0, high=1e4, constant=True, doc="the most meanwhile; 0: a quarter of the joint's effort"
    )
    reverse_motor: bool = parameter(False, constant=True, doc="a positive voltage turns the shaft backwards")
    reverse_encoder: bool = parameter(False, constant=True, doc="the counts fall as the shaft turns forwards")
    temperature_limit: float = parameter(
        127.0, unit="°C", low=30.0, high=127.0, constant=True, doc="from here on it is a fault; 127: none"
    )
    stall_time: float = parameter(
        0.0, unit="s", low=0.0, high=60.0, constant=True, doc="at a standstill with all current; 0: no fault"
    )
    friction: float = parameter(
        0.0, unit="N m", low=0.0, high=1e4, constant=True, doc="of gear and motor at the joint, of emulated ones"
    )
    inertia: float = parameter(
        0.0,
        unit="kg m^2",
        low=0.0,
        high=1e3,
        constant=True,
        doc="of the rotor at the joint, of emulated ones that turn nothing else; 0: its full torque makes 1000 rad/s^2",
    )
