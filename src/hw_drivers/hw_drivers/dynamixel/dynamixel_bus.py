"""Dynamixel servos of the X series behind the contract of `hw_drivers.bus.bus`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from crawler_core.errors import UserError
from crawler_core.types import FloatArray
from hw_drivers.bus.bus import BusFault, BusKind, Device, JointMap, Reading
from hw_drivers.dynamixel import codec, setup
from hw_drivers.dynamixel import tables as t
from hw_drivers.dynamixel.freshness import Freshness
from hw_drivers.dynamixel.link import ATTEMPTS, Link, NoAnswer, Refused, silent
from hw_drivers.dynamixel.plan import ServoPlan, plan_servo
from hw_drivers.dynamixel.settings import DynamixelJoint, DynamixelSettings
from hw_drivers.dynamixel.state import ServoState, reading, unpack_state
from hw_drivers.ports.serial_port import SerialPort

REBOOT_TIMEOUT_S = 2.0  # s that a servo may take to come back
MAX_SILENT_SERVOS = 2  # servos that are asked by themselves before a bus on which nobody answers counts as silent


class DynamixelBus:
    """One serial bus. A cycle is one sync write and one sync read; who missed the latter is asked again by itself.

    The servos' own watchdog stops them where they are, with torque, when no packet comes for `settings.watchdog`. It
    does not take the torque off: no servo of this family can be told to do that.
    """

    kind: ClassVar[str] = "dynamixel"

    def __init__(self, name: str, settings: DynamixelSettings) -> None:
        self.name = name
        self._port = SerialPort(settings.port, settings.baud)
        self._link = Link(self._port, settings.baud, settings.reply_timeout)
        self._bite_after = max(1, round(settings.watchdog / t.WATCHDOG_UNIT_S))
        self._plans: dict[int, ServoPlan] = {}
        self._states: dict[int, ServoState] = {}
        self._clocks: dict[int, Freshness] = {}
        self._enabled = False

    def open(self) -> None:
        """Open the port. Raises UserError."""
        self._port.open()

    def scan(self) -> tuple[Device, ...]:
        """Who answers a broadcast ping."""
        return setup.scan(self._link)

    def configure(self, joints: Sequence[JointMap]) -> None:
        """Check and set up every servo. Raises UserError."""
        plans = [plan_servo(joint) for joint in joints]
        self._plans = {plan.joint.id: plan for plan in plans}
        self._states = {}
        self._clocks = {plan.joint.id: Freshness() for plan in plans}
        self._enabled = False
        with self._link.patient():
            setup.set_up(self._link, plans)
            self.read()
        for plan in plans:
            if plan.joint.id not in self._states:
                raise UserError(str(silent(plan.joint.joint, plan.joint.id, self._port.path)) + ": check its cable.")

    def read(self) -> tuple[Reading, ...]:
        """One sync read. Where a servo was silent, those behind it in the chain were too: each is asked by itself."""
        chains: dict[int, list[int]] = {}
        for ident, plan in self._plans.items():
            chains.setdefault(plan.model.indirect_data, []).append(ident)
        for address, chain in chains.items():
            heard = self._ask(codec.sync_read(chain, address, t.CYCLE_BYTES), chain)
            for ident in [ident for ident in chain if ident not in heard]:
                heard |= self._ask(codec.read(ident, address, t.CYCLE_BYTES), [ident])
                if not heard and ident in chain[MAX_SILENT_SERVOS - 1 :]:
                    break
        return tuple(reading(plan, self._states.get(ident), self._enabled) for ident, plan in self._plans.items())

    def write(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        """One sync write of the goal positions. Servos in these modes take neither rates nor torques."""
        goals = {
            ident: t.GOAL_POSITION.pack(plan.ticks(angle))
            for (ident, plan), angle in zip(self._plans.items(), position.tolist(), strict=True)
        }
        self._link.tell(codec.sync_write(t.GOAL_POSITION.address, goals))

    def enable(self) -> None:
        """Torque on, then the watchdogs. Raises BusFault; then the torque of all is off again."""
        try:
            self._everywhere(t.WATCHDOG, 0, lambda state: state.watchdog == 0, "does not clear its watchdog")
            self._everywhere(t.TORQUE, 1, lambda state: state.torque, "does not switch its torque on")
            bite = self._bite_after
            self._everywhere(t.WATCHDOG, bite, lambda state: state.watchdog == bite, "does not arm its watchdog")
        except BusFault:
            self.release()
            raise
        self._enabled = True

    def release(self) -> tuple[BusFault, ...]:
        """Torque off: all at once, then each by itself until it confirms."""
        self._enabled = False
        faults = []
        with contextlib.suppress(BusFault, ValueError):  # each of them will say so below
            for register in (t.TORQUE, t.WATCHDOG):
                self._link.tell(codec.sync_write(register.address, dict.fromkeys(self._plans, b"\x00")))
        for ident, plan in self._plans.items():
            try:
                self._link.write(ident, t.TORQUE, 0)
            except (NoAnswer, Refused, BusFault) as error:
                why = f": {error}" if str(error) else ", which does not answer"
                faults.append(
                    BusFault(
                        f"the torque of {plan.joint.joint} could not be switched off{why}",
                        remedy="switch the power of the motors off",
                        joint=plan.joint.joint,
                    )
                )
        return tuple(faults)

    def keep_alive(self) -> None:
        """Every packet feeds the watchdogs."""

    def clear(self) -> None:
        """Reboot the servos that report an error, then set all of them up again. Raises BusFault."""
        self.release()
        for ident, plan in self._plans.items():
            try:
                if self._link.read(ident, t.HARDWARE_ERROR):
                    self._link.confirmed(codec.reboot(ident), ident)
                    self._wait_for(ident)
            except (NoAnswer, Refused):
                raise silent(plan.joint.joint, ident, self._port.path) from None
        try:
            self.configure([plan.joint for plan in self._plans.values()])
        except UserError as error:
            raise BusFault(str(error), remedy="put that right, then call reset and enable") from None

    def close(self) -> None:
        """Disarm the watchdogs, whose bite would outlast us, and release the port."""
        with contextlib.suppress(BusFault, ValueError):  # the port is gone, or no servo was ever set up
            self._link.tell(codec.sync_write(t.WATCHDOG.address, dict.fromkeys(self._plans, b"\x00")))
        self._enabled = False
        self._port.close()

    def _ask(self, question: codec.Packet, idents: list[int]) -> set[int]:
        """Ask for the state of servos, and keep what comes; returns who answered."""
        answers = self._link.ask(question, idents, t.CYCLE_BYTES)
        now = time.monotonic()
        heard = set()
        for ident, answer in answers.items():
            if len(answer.parameters) != t.CYCLE_BYTES or answer.error & 0x7F:
                continue
            state = unpack_state(answer.parameters, now)
            if state.id == ident and not self._clocks[ident].is_fresh(state.tick, now):
                continue  # the answer to an earlier question
            self._states[ident] = state
            heard.add(ident)
        return heard

    def _everywhere(self, register: t.Register, value: int, done: Callable[[ServoState], bool], failed: str) -> None:
        """Write to all servos until the states that they report satisfy `done`. Raises BusFault."""
        for _ in range(ATTEMPTS):
            asked = time.monotonic()
            self._link.tell(codec.sync_write(register.address, dict.fromkeys(self._plans, register.pack(value))))
            self.read()
            missing = [i for i in self._plans if self._states[i].time < asked or not done(self._states[i])]
            if not missing:
                return
        joint = self._plans[missing[0]].joint.joint
        raise BusFault(
            f"the servo of {joint}, id {missing[0]}, {failed}",
            remedy=f"check the cable and the power of {joint}, then call reset and enable",
            joint=joint,
        )

    def _wait_for(self, ident: int) -> None:
        end = time.monotonic() + REBOOT_TIMEOUT_S
        while time.monotonic() < end:
            if self._link.ask(codec.ping(ident), [ident], 3):
                return
        raise NoAnswer


BUS_KIND = BusKind(DynamixelSettings, DynamixelJoint, DynamixelBus, "hw_drivers.dynamixel.emulator:emulate")
