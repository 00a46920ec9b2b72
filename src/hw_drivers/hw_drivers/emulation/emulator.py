"""The contract of an emulated bus, and the parts that the emulators of all kinds share. Real motors never load it."""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np

from crawler_core.errors import unknown_name
from crawler_core.reality.reality import IDEAL, Reality
from crawler_core.types import FloatArray, SensorReading
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.emulation.disturbance import Disturbance
from hw_drivers.emulation.emulated_line import EmulatedLine
from hw_drivers.emulation.virtual_clock import VirtualClock
from hw_drivers.ports.emulated_serial_port import EmulatedSerialPort
from hw_drivers.ports.serial_port import BITS_PER_BYTE
from hw_drivers.sensors.sensor_map import SensorMap

# lost, late, corrupt, truncated: every reply is; dead: a device is silent; hot: it reports overheating;
# gone: the port vanishes (and returns with `none`)
INJECTABLE_FAULTS = ("none", "lost", "late", "corrupt", "truncated", "dead", "hot", "gone")

LINE_NAME = "ttyEmulated"  # of a serial line in this process, in place of a device file
LATE_POLL_PERIOD_S = 1e-3  # behind a terminal, while late replies are under way

Data = TypeVar("Data")  # the unit that travels on the bus: bytes or a frame


class Emulator(ABC):
    """An emulated bus with motors that turn. It speaks the real bytes or frames to the real driver."""

    faults: ClassVar[Sequence[str]] = INJECTABLE_FAULTS
    port: str  # opened by the driver in place of the robot file's port

    def __init__(self, joints: Sequence[JointMap], clock: Callable[[], float]) -> None:
        """`clock` returns s of any clock that goes forward."""
        self._joints = list(joints)
        self._clock = clock
        self._lock = threading.RLock()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def motion(self) -> tuple[FloatArray, FloatArray]:
        """Return the joints' true angles (rad) and rates (rad/s) now, in the order of its joints."""
        with self._lock:
            rows = zip(self._joints, self._motor_motion(), strict=False)
            moved = [(joint.to_joint(angle), joint.rate_to_joint(rate)) for joint, (angle, rate) in rows]
        angles, rates = np.array(moved).reshape(-1, 2).T
        return angles, rates

    @abstractmethod
    def _motor_motion(self) -> Iterable[tuple[float, float]]:
        """Return each motor's angle (rad) and rate (rad/s) now, those of the joints first."""

    def driver_options(self) -> dict[str, Any]:
        """Return the keywords by which the bus's driver is made for this emulator, in virtual time."""
        return {"clock": self._clock} if isinstance(self._clock, VirtualClock) else {}

    def attach_sensors(self, sensors: Sequence[SensorMap]) -> None:  # noqa: B027  (few buses read sensors)
        """Have these sensors beside the motors."""

    def measure(self, reading: SensorReading) -> None:  # noqa: B027
        """Let one of these sensors measure this from now on."""

    def set_supply(self, volts: float) -> None:  # noqa: B027  (not every device reports it)
        """Supply the devices with this voltage (V) from now on."""

    @abstractmethod
    def torque(self) -> tuple[bool, ...]:
        """Return for each joint whether its motor holds torque now."""

    def inject(self, fault: str, joint: str = "") -> None:
        """Begin a fault, one of `faults`, at a joint or at all; `none` heals everything. Raises UserError."""
        if fault not in self.faults:
            raise unknown_name("fault of this emulated bus", fault, self.faults)
        if joint and joint not in self._joint_names():
            return  # it is on another bus
        with self._lock:
            self._inject(fault, joint)

    @abstractmethod
    def _inject(self, fault: str, joint: str) -> None: ...

    @abstractmethod
    def disturb(self, disturbance: Disturbance | None, seed: int = 0) -> None:
        """Disturb the line to the driver from now on, in virtual time; None ends that."""

    def _joint_names(self) -> list[str]:
        return [joint.joint for joint in self._joints]

    def _start_thread(self, serve: Callable[[], None]) -> None:
        """Call `serve`, which waits a little for the driver, over and over until `close`."""

        def run() -> None:
            while not self._ending.is_set():
                serve()

        self._thread = threading.Thread(target=run, name=f"emulated {self.port}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it and release what it holds. May be called twice."""
        self._ending.set()
        if self._thread is not None:
            self._thread.join()
        self._close_port()

    @abstractmethod
    def _close_port(self) -> None: ...


class DelayLine(list[tuple[float, Data]]):
    """Data under way with their arrival times (s), in order."""

    def put(self, arrival: float, data: Data) -> None:
        """Add data that arrive at a time (s)."""
        insort(self, (arrival, data), key=lambda sent: sent[0])

    def take(self, now: float) -> list[Data]:
        """Remove and return all that has arrived by `now` (s)."""
        arrived = [data for time, data in self if time <= now]
        del self[: len(arrived)]
        return arrived


class SerialEmulator(Emulator):
    """An emulated bus on a serial line.

    With a virtual clock the line is in this process. With another clock it is behind a pseudo-terminal, and a thread
    serves it for other programs.
    """

    def __init__(
        self,
        joints: Sequence[JointMap],
        baud: int,
        clock: Callable[[], float],
        *,
        period_s: float = math.inf,
        poll_period_s: float = 0.02,
    ) -> None:
        """The device steps every `period_s`; the thread waits for bytes up to `poll_period_s`."""
        super().__init__(joints, clock)
        self.has_wire_delay = False  # behind a terminal, replies take the time that their bits would take on a line
        self._baud = baud
        self._poll_period_s = poll_period_s
        self._late: DelayLine[bytes] = DelayLine()
        self._terminal: EmulatedSerialPort | None = None
        self._line: EmulatedLine | None = None
        if isinstance(clock, VirtualClock):
            self._line = EmulatedLine(LINE_NAME, baud, clock, self, period_s)
            self.port = self._line.path
        else:
            self._terminal = EmulatedSerialPort()
            self.port = self._terminal.path

    def receive(self, data: bytes) -> None:
        """Take bytes of the driver that arrive now."""
        with self._lock:
            self._receive(data)

    def is_command(self, data: bytes) -> bool:
        """Return True if the device answers these bytes by nothing that the driver waits for."""
        return False

    def step(self) -> None:
        """Do what the device does once a period."""
        with self._lock:
            self._step()

    @abstractmethod
    def _receive(self, data: bytes) -> None:
        """Handle bytes, and `_reply` to them."""

    def _step(self) -> None:
        """Let the device's own loop run, up to now."""

    def _reply(self, data: bytes, delay_s: float = 0.0) -> None:
        """Send bytes to the driver, which leave after `delay_s`."""
        if self._line is not None:
            self._line.send(data, delay_s)
        elif self._terminal is not None:
            self._wait_for_wire(len(data))
            if delay_s > LATE_POLL_PERIOD_S:
                self._late.put(self._clock() + delay_s, data)
            else:
                self._terminal.write(data)

    def disturb(self, disturbance: Disturbance | None, seed: int = 0) -> None:
        assert self._line is not None  # a terminal has the computer's time
        self._line.disturb(disturbance, seed)

    def _drop_replies(self) -> None:
        """Lose the replies that are under way."""
        self._late.clear()
        if self._line is not None:
            self._line.drop()

    def driver_options(self) -> dict[str, Any]:
        return {} if self._line is None else {**super().driver_options(), "port": self._line}

    def serve(self) -> None:
        """Serve the terminal in a thread."""
        if self._terminal is not None:
            self._start_thread(self._serve)

    def _serve(self) -> None:
        terminal = self._terminal
        assert terminal is not None
        with self._lock:
            for late in self._late.take(self._clock()):
                terminal.write(late)
        data = terminal.read(min(self._poll_period_s, LATE_POLL_PERIOD_S) if self._late else self._poll_period_s)
        with self._lock:
            if data and terminal.has_baud(self._baud):
                self._wait_for_wire(len(data))
                self._receive(data)
            if not terminal.is_behind():
                self._step()

    def _set_connected(self, connected: bool) -> None:
        for end in (self._line, self._terminal):
            if end is not None:
                (end.plug_in if connected else end.unplug)()

    def _wait_for_wire(self, size: int) -> None:
        """Wait as long as `size` bytes take on a real line, where the emulator does so."""
        if self.has_wire_delay:
            self._ending.wait(size * BITS_PER_BYTE / self._baud)

    def _close_port(self) -> None:
        if self._terminal is not None:
            self._terminal.close()
        if self._line is not None:
            self._line.unplug()


class Load(Protocol):
    """The mechanism that an effort-driven motor turns, in place of a rotor alone. All values are at the joint."""

    @property
    def damping(self) -> float:
        """N·m·s/rad by which `push` brakes the motor already, as the robot file says of the motor itself."""
        ...

    def push(self, effort: float, seconds: float) -> tuple[float, float]:
        """Apply an effort (N·m) for `seconds`; return the joint's angle (rad) and rate (rad/s) then."""
        ...


@runtime_checkable
class LoadedEmulator(Protocol):
    """Ability of the emulators of a kind that drives joints by effort."""

    def attach_load(self, joint: str, load: Load) -> None:
        """Let the motor of one of its joints turn `load` from now on."""
        ...


class Emulate(Protocol):
    """The object that `BusKind.emulator` names. It makes an emulator with its motors at rest."""

    def __call__(
        self,
        settings: Any,
        joints: Sequence[JointMap],
        start: Sequence[float],
        /,
        *,
        clock: VirtualClock | None = None,
        reality: Reality = IDEAL,
        seed: int = 0,
    ) -> Emulator:
        """Make it from the bus settings, the joints, and the joints' angles (rad) at the start.

        Its motors and its line have the imperfections of `reality`, with errors of `seed`. Without a virtual clock it
        runs in real time, in a thread.
        """
        ...
