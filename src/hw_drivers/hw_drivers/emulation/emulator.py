"""What a pretended bus does, and what its motors turn. One emulator for each kind of bus; real motors never load it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from crawler_core.types import FloatArray
from hw_drivers.bus.bus import JointMap

# lost, late, corrupt, truncated: every reply is; dead: a device is silent; hot: it reports overheating;
# gone: the port vanishes (and returns with `none`)
INJECTABLE_FAULTS = ("none", "lost", "late", "corrupt", "truncated", "dead", "hot", "gone")


class Emulator(Protocol):
    """A pretended bus with motors that turn. It speaks the real bytes or frames to the real driver."""

    port: str  # what the driver opens in place of the robot file's port

    def motion(self) -> tuple[FloatArray, FloatArray]:
        """The joints' true angles (rad) and rates (rad/s) now, in the order of its joints."""
        ...

    def torque(self) -> tuple[bool, ...]:
        """Whether each joint's motor holds torque now."""
        ...

    def inject(self, fault: str, joint: str = "") -> None:
        """Begin a fault, one of INJECTABLE_FAULTS, at a joint or, with an empty one, everywhere; `none` heals everything."""
        ...

    def close(self) -> None:
        """End it, and release what it holds. May be called twice."""
        ...


class Load(Protocol):
    """What a motor that is driven by effort turns, in place of a rotor alone. All of it is at the joint."""

    @property
    def damping(self) -> float:
        """N·m·s/rad by which `push` slows a turning motor already, as the robot file says of the motor itself."""
        ...

    def push(self, effort: float, seconds: float) -> tuple[float, float]:
        """Let an effort (N·m) act for so long; the joint's angle (rad) and rate (rad/s) then."""
        ...


@runtime_checkable
class LoadedEmulator(Emulator, Protocol):
    """What the emulators of a kind that drives joints by effort can do besides."""

    def carry(self, joint: str, load: Load) -> None:
        """Let the motor of one of its joints turn `load` from now on."""
        ...


class Emulate(Protocol):
    """What the `emulator` of a BusKind names: it makes one with its motors at rest."""

    def __call__(self, settings: Any, joints: Sequence[JointMap], start: Sequence[float], /) -> Emulator:
        """From the bus settings, the joints, and the joints' angles (rad) at the start."""
        ...
