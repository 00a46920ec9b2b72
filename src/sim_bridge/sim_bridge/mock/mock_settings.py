"""Parameters of the mock backend."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.parameters import parameter


@dataclass(frozen=True)
class MockSettings:
    """Servo dynamics, and a fault to simulate."""

    lag: float = parameter(
        0.0, unit="s", lower=0.0, upper=10.0, constant=True, doc="time constant of the servos' first-order lag"
    )
    rotor_inertia: float = parameter(
        1e-4, unit="kg m^2", lower=1e-9, upper=1e3, constant=True, doc="of every effort-driven joint"
    )
    rotor_damping: float = parameter(
        1e-5,
        unit="N m s/rad",
        lower=0.0,
        upper=1e3,
        constant=True,
        doc="of every effort-driven joint, in addition to its own",
    )
    fail: str = parameter(
        "none",
        choices=("none", "late", "frozen", "no_angle", "dead_joint", "raise"),
        constant=True,
        doc="none; late: observations take 0.2 s; frozen: they stop changing; no_angle: a joint's angle is lost; "
        "dead_joint: a joint stops moving; raise: the device reports a fault",
    )
    fail_after: float = parameter(1.0, unit="s", lower=0.0, constant=True, doc="from open until the fault")
    fail_joint: str = parameter("", constant=True, doc="joint of the fault; empty: the first actuated one")
