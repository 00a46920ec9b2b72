"""Time from a disturbance of a motor bus until the torque is off, on emulated motors in virtual time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crawler_core.registry import import_object
from crawler_testing.marked_page import write_between_marks
from hw_drivers.board.settings import BoardJoint, BoardSettings
from hw_drivers.bus.bus_kinds import KINDS
from hw_drivers.bus.fault_latch import FaultLatch
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.dynamixel.settings import DynamixelJoint, DynamixelSettings
from hw_drivers.emulation.disturbance import SPOILING, Disturbance
from hw_drivers.emulation.emulator import Emulate, Emulator
from hw_drivers.emulation.stepped_bus_loop import SteppedBusLoop
from hw_drivers.emulation.virtual_clock import VirtualClock
from hw_drivers.odrive.settings import OdriveJoint, OdriveSettings
from hw_drivers.pca9685.settings import Pca9685Joint, Pca9685Settings

JOINTS = 2
RATE_HZ = 200.0
PATIENCE_S = 0.1  # the default of backend.patience
AMPLITUDE_RAD = 0.3
FREQUENCY_HZ = 1.0
BEGIN_S = 0.5  # of the disturbance, after the torque came on
HORIZON_S = 3.0  # after it, until a run counts as going on
REST_S = 1.0  # after the torque went off, in which it must stay off
LOOK_PERIOD_NS = 1_000_000
CYCLE_S = 1.0 / RATE_HZ
SPOILED_SHARES = (1e-3, 1e-2, 1e-1)
HARMLESS_SHARE = 1e-3  # a run goes on, unless bad answers happen to come close together
DELAYED_S = (0.005, 0.05)
LATE_CYCLES = (2, 10, 20, 100)
LATE_KINDS = ("late", "late_commands", "repeated")
DISTURBANCES = (
    *(Disturbance(kind, share) for kind in SPOILING for share in SPOILED_SHARES),
    *(Disturbance("delayed", longest) for longest in DELAYED_S),
    *(Disturbance(kind, n * CYCLE_S) for kind in LATE_KINDS for n in LATE_CYCLES),
)
# a board answers every command, and a CAN adapter keeps the order of frames
IMPOSSIBLE = {("board", "late_commands"), ("odrive", "late_commands")}
# s, within which the torque is off, from the begin of a disturbance with which a run does not go on
STATED_S = {"dynamixel": 1.0, "board": 0.3, "odrive": 1.0, "pca9685": 1.0}
STATED_ERROR_FRAMES_S = 6.0  # of frames that CAN controllers repeat: until one of them gives up, each arrives
_LIMIT = 1.5  # rad
_CONTINUOUS = (-math.inf, math.inf)
BUSES: dict[str, tuple[Any, JointMap]] = {
    "dynamixel": (
        DynamixelSettings(),
        JointMap("", 1, 1, 1.0, math.pi, -_LIMIT, _LIMIT, 3.0, 1.0, DynamixelJoint(model="XM430-W350")),
    ),
    "board": (
        BoardSettings(lowest_supply=10.0, highest_supply=14.0),
        JointMap(
            "", 0, 1, 8.0, 0.0, *_CONTINUOUS, 30.0, 1.5,
            BoardJoint(
                counts=1024, torque_constant=0.02, resistance=0.5, max_current=10.0, stiffness=2.0, damping=0.05
            ),
        ),
    ),
    "odrive": (
        OdriveSettings(bitrate=500_000),
        JointMap("", 1, 1, 8.0, 0.0, *_CONTINUOUS, 10.0, 1.5, OdriveJoint(torque_constant=0.05, max_current=20.0)),
    ),
    "pca9685": (
        Pca9685Settings(),
        JointMap("", 0, 1, 1.0, 0.0, -_LIMIT, _LIMIT, 10.0, 0.5, Pca9685Joint()),
    ),
}  # fmt: skip


def measure(_seconds: float, rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Measure every bus under every disturbance, with the seeds of so many rounds."""
    rows = []
    for bus in BUSES:
        log(f"bus-faults: {bus}, {len(DISTURBANCES)} disturbances, {rounds} runs of each")
        for disturbance in (None, *(one for one in DISTURBANCES if (bus, one.kind) not in IMPOSSIBLE)):
            outcomes = [DisturbedRun(bus, seed).measure(disturbance) for seed in range(rounds)]
            stops = [one for one in outcomes if one.fault]
            rows.append(
                {
                    "bus": bus,
                    "disturbance": "none" if disturbance is None else disturbance.kind,
                    "amount": 0.0 if disturbance is None else disturbance.amount,
                    "stopped": len(stops),
                    "fault_after_s": max((one.fault_after for one in stops), default=None),
                    "torque_off_after_s": max((one.torque_off_after for one in stops), default=None),
                    "torque_left_on": sum(math.isinf(one.torque_off_after) for one in stops),
                    "stated_s": stated_time(bus, disturbance),
                    "largest_error_deg": math.degrees(max(one.largest_error for one in outcomes)),
                }
            )
    return {"bus_faults_runs": rounds, "bus_faults": rows}


def add_rows(table: Any, result: dict[str, Any]) -> None:
    for bus in BUSES:
        rows = [row for row in result["bus_faults"] if row["bus"] == bus and row["stopped"] and row["stated_s"]]
        worst = max(rows, key=lambda row: row["torque_off_after_s"] / row["stated_s"])
        measured, stated = worst["torque_off_after_s"], worst["stated_s"]
        label = f"torque off on a bus of kind {bus}, {describe(worst['disturbance'], worst['amount'])}"
        table.add_row(label, f"{measured:.2f} s", f"stated {stated:.2f} s", f"{measured / stated:.2f}")


def stated_time(bus: str, disturbance: Disturbance | None) -> float | None:
    """Return s within which the torque is off, as docs/hardware.md states; None where a run may go on for long."""
    if disturbance is None or (disturbance.kind in SPOILING and disturbance.amount <= HARMLESS_SHARE):
        return None
    if bus == "odrive" and disturbance.kind == "garbled":
        return STATED_ERROR_FRAMES_S
    lateness = disturbance.amount if disturbance.kind in LATE_KINDS else 0.0
    return STATED_S[bus] + 2.0 * lateness


def describe(kind: str, amount: float) -> str:
    """Return a disturbance in words."""
    if kind == "none":
        return "none"
    if kind in SPOILING:
        return f"{100.0 * amount:g} % of the bytes {kind}"
    if kind == "delayed":
        return f"all delayed by 1 to {1e3 * amount:g} ms"
    subject = {"late": "all", "late_commands": "commands alone", "repeated": "all a second time,"}[kind]
    return f"{subject} {round(amount / CYCLE_S)} cycles late"


def write_table(page: Path, result: dict[str, Any]) -> None:
    """Write the table between its marks on a page. Raises UserError."""
    write_between_marks(page, "bench", markdown(result))


def markdown(result: dict[str, Any]) -> str:
    """Return the table: for each bus the longest time until the torque is off, and the largest error of a joint."""
    cells: dict[str, dict[str, str]] = {}
    for row in result["bus_faults"]:
        name = describe(row["disturbance"], row["amount"])
        cells.setdefault(name, {})[row["bus"]] = _cell(row, result["bus_faults_runs"])
    lines = [_line("disturbance", *(f"`{bus}`" for bus in BUSES)), "|" + "---|" * (1 + len(BUSES))]
    lines += [_line(name, *(by_bus.get(bus, "") for bus in BUSES)) for name, by_bus in cells.items()]
    return "\n".join(lines)


def _cell(row: dict[str, Any], runs: int) -> str:
    error = f"{row['largest_error_deg']:.0f}°"
    if not row["stopped"]:
        return f"goes on, {error}"
    time = f"{row['torque_off_after_s']:.2f} s, {error}"
    return time if row["stopped"] == runs else f"{time}; {runs - row['stopped']} of {runs} go on"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class BusFaultOutcome:
    """The end of one run on a disturbed bus. Times are counted from the begin of the disturbance."""

    fault: str  # empty: the run went on
    fault_after: float  # s; infinite without a fault
    torque_off_after: float  # s, from when on no motor had torque; infinite where one still had some at the end
    largest_error: float  # rad, of a joint from its newest setpoint, while it had torque


class DisturbedRun:
    """Two emulated joints that wave on one bus."""

    def __init__(self, kind: str, seed: int = 0) -> None:
        settings, joint = BUSES[kind]
        self.joints = [replace(joint, joint=f"joint_{i}", id=joint.id + i) for i in range(JOINTS)]
        bus_kind = KINDS[kind]
        emulate: Emulate = import_object(bus_kind.emulator, what=f"the emulator of a bus of kind {kind}")
        self.clock = VirtualClock()
        self.emulator: Emulator = emulate(settings, self.joints, [0.0] * JOINTS, clock=self.clock, seed=seed)
        driver = bus_kind.make(kind, replace(settings, port=self.emulator.port), **self.emulator.driver_options())
        self.latch = FaultLatch()
        self.loop = SteppedBusLoop(driver, self.joints, CYCLE_S, PATIENCE_S, self.latch, clock=self.clock)
        self._seed = seed
        self._goal = math.nan  # rad, the newest setpoint
        self._next_look_ns = 0
        self._fault_ns: int | None = None
        self._last_torque_ns = 0
        self._largest_error = 0.0

    def measure(self, disturbance: Disturbance | None, horizon: float = HORIZON_S) -> BusFaultOutcome:
        """Wave, disturb the bus, and go on until the torque is off or `horizon` (s) has passed."""
        self.loop.bus.open()
        try:
            self.loop.bus.configure(self.joints)
            self.loop.start()
            self.loop.enable()
            self.clock.attach(self)
            # at another moment of the motion for each seed
            self._wave_until(BEGIN_S + 0.1 * self._seed)
            begin = self.clock()
            self.emulator.disturb(disturbance, self._seed)
            self._largest_error = 0.0
            self._wave_until(begin + horizon)
            end = self.clock() + horizon
            if self.latch.fault is not None:
                while self.clock() < end and self.clock() - 1e-9 * self._last_torque_ns < REST_S:
                    self._tick(math.nan)
        finally:
            self.loop.bus.close()
            self.emulator.close()
        error = self._largest_error
        if self.latch.fault is None or self._fault_ns is None:
            return BusFaultOutcome("", math.inf, math.inf, error)
        off = 1e-9 * self._last_torque_ns
        is_off = self.clock() - off >= REST_S
        return BusFaultOutcome(
            str(self.latch.fault), 1e-9 * self._fault_ns - begin, off - begin if is_off else math.inf, error
        )

    def _wave_until(self, end: float) -> None:
        while self.clock() < end and self.latch.fault is None:
            angle = AMPLITUDE_RAD * math.sin(2.0 * math.pi * FREQUENCY_HZ * self.clock())
            self._tick(angle)

    def _tick(self, goal: float) -> None:
        """Run a cycle with a setpoint (rad), or NaN for none, and pass the rest of its period."""
        due = self.clock.now_ns + round(1e9 * CYCLE_S)
        self._goal = goal
        if math.isfinite(goal):
            self.loop.set_setpoints(*(np.full(JOINTS, value) for value in (goal, 0.0, math.nan)))
        self.loop.tick()
        self.loop.run_until(due)

    # the clock calls these, also within long cycles

    def due_ns(self) -> int:
        return self._next_look_ns

    def run(self) -> None:
        self._next_look_ns = self.clock.now_ns + LOOK_PERIOD_NS
        if self._fault_ns is None and self.latch.fault is not None:
            self._fault_ns = self.clock.now_ns
        if any(self.emulator.torque()):
            self._last_torque_ns = self.clock.now_ns
            if math.isfinite(self._goal):
                error = float(np.abs(self.emulator.motion()[0] - self._goal).max())
                self._largest_error = max(self._largest_error, error)
