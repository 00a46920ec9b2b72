"""The driver of Dynamixel servos of the X series."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from crawler_core.types import FloatArray
from hw_drivers.bus.bus import Bus, BusFault, BusKind, Device, NoAnswer, Reading, torque_off_failed
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.bus.link_quality import LinkQuality
from hw_drivers.dynamixel import codec, setup
from hw_drivers.dynamixel import tables as t
from hw_drivers.dynamixel.freshness import Freshness
from hw_drivers.dynamixel.link import ATTEMPTS, Link, Refused, silent_servo
from hw_drivers.dynamixel.plan import ServoPlan, plan_servo
from hw_drivers.dynamixel.settings import DynamixelJoint, DynamixelSettings
from hw_drivers.dynamixel.state import ServoState, reading, unpack_state
from hw_drivers.ports.serial_port import SerialPort

REBOOT_TIMEOUT_S = 2.0
MAX_SILENT_SERVOS = 2  # requests to single servos, before a bus without any answer counts as silent


class DynamixelBus(Bus):
    """One serial bus. A cycle is one sync write and one sync read, and a further read of each silent servo.

    Each answer carries the servo's goal: one that is not the sent goal counts as bad, as a lost answer does.
    The servos' own watchdog stops them where they are, with torque, when no packet comes for `settings.watchdog`. It
    does not take the torque off: no servo of this family can do that.
    """

    kind: ClassVar[str] = "dynamixel"

    def __init__(
        self,
        name: str,
        settings: DynamixelSettings,
        *,
        port: SerialPort | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Emulations pass their own `port` and `clock` (s)."""
        self.name = name
        self.quality = LinkQuality(f"the bus '{name}'")
        self._port = port or SerialPort(settings.port, settings.baud)
        self._link = Link(self._port, settings.baud, settings.reply_timeout, clock)
        self._clock = clock
        self._watchdog_value = max(1, round(settings.watchdog / t.WATCHDOG_UNIT_S))
        self._plans: dict[int, ServoPlan] = {}
        self._states: dict[int, ServoState] = {}
        self._freshness: dict[int, Freshness] = {}
        self._goals: dict[int, int] = {}  # low halves of the sent ones
        self._is_enabled = False

    def open(self) -> None:
        self._port.open()

    def scan(self) -> tuple[Device, ...]:
        return setup.scan(self._link)

    def configure(self, joints: Sequence[JointMap]) -> None:
        plans = [plan_servo(joint) for joint in joints]
        self._plans = {plan.joint.id: plan for plan in plans}
        self._states = {}
        self._freshness = {plan.joint.id: Freshness() for plan in plans}
        self._goals = {}
        self._is_enabled = False
        with self._link.at_rest():
            setup.set_up(self._link, plans)
            self.read()
        for plan in plans:
            if plan.joint.id not in self._states:
                raise silent_servo(plan.joint.joint, plan.joint.id, self._port.path).as_user_error()

    def read(self) -> tuple[Reading, ...]:
        # a silent servo silences those behind it in the chain: each of them gets a request of its own
        chains: dict[int, list[int]] = {}
        for ident, plan in self._plans.items():
            chains.setdefault(plan.model.indirect_data, []).append(ident)
        bad: set[int] = set()
        unrequested = self._link.unrequested
        for address, chain in chains.items():
            answered = self._update_states(codec.sync_read(chain, address, t.CYCLE_BYTES), chain)
            silent = [ident for ident in chain if ident not in answered]
            for ident in silent:
                answered |= self._update_states(codec.read(ident, address, t.CYCLE_BYTES), [ident])
                if not answered and ident in chain[MAX_SILENT_SERVOS - 1 :]:
                    break
            bad |= {*silent[:1], *chain} - (answered - {*silent[:1]})
        if self._is_enabled:
            bad |= {ident for ident, state in self._states.items() if state.goal != self._goals.get(ident, state.goal)}
        for ident, plan in self._plans.items():
            self.quality.add(ident in bad, joint=plan.joint.joint)
        self.quality.add(self._link.unrequested > unrequested)
        return tuple(reading(plan, self._states.get(ident), self._is_enabled) for ident, plan in self._plans.items())

    def write(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        """Send the goal positions in one sync write. Servos in these modes take neither rates nor torques."""
        goals = {
            ident: plan.ticks(angle)
            for (ident, plan), angle in zip(self._plans.items(), position.tolist(), strict=True)
        }
        self._goals = {ident: goal % t.GOAL_POSITION_LOW_RANGE for ident, goal in goals.items()}
        packed = {ident: t.GOAL_POSITION.pack(goal) for ident, goal in goals.items()}
        self._link.send(codec.sync_write(t.GOAL_POSITION.address, packed))

    def _switch_on(self) -> None:
        """Switch the torque on, then arm the watchdogs."""
        value = self._watchdog_value
        self._write_all(t.WATCHDOG, 0, lambda state: state.watchdog == 0, "does not clear its watchdog")
        self._write_all(t.TORQUE, 1, lambda state: state.torque == 1, "does not switch its torque on")
        self._write_all(t.WATCHDOG, value, lambda state: state.watchdog == value, "does not arm its watchdog")
        self._is_enabled = True

    def release(self) -> tuple[BusFault, ...]:
        """Switch the torque off for all at once, then for each by itself until it confirms."""
        self._is_enabled = False
        faults = []
        with contextlib.suppress(BusFault, ValueError):  # each servo is tried again below
            for register in (*[t.TORQUE] * ATTEMPTS, t.WATCHDOG):  # on a bad line, one of several gets through
                self._clear_register(register)
        for ident, plan in self._plans.items():
            try:
                self._link.write(ident, t.TORQUE, 0)
            except NoAnswer:
                faults.append(torque_off_failed(plan.joint.joint, "its servo does not answer"))
            except (Refused, BusFault) as error:
                faults.append(torque_off_failed(plan.joint.joint, str(error)))
        return tuple(faults)

    def _clear_devices(self) -> None:
        """Reboot the servos that report an error."""
        for ident, plan in self._plans.items():
            try:
                if self._link.read(ident, t.HARDWARE_ERROR):
                    self._link.confirm(codec.reboot(ident), ident)
                    self._wait_for(ident)
            except (NoAnswer, Refused):
                raise silent_servo(plan.joint.joint, ident, self._port.path) from None

    def _joints(self) -> list[JointMap]:
        return [plan.joint for plan in self._plans.values()]

    def close(self) -> None:
        """Disarm the watchdogs, which would stop the servos later, and close the port."""
        with contextlib.suppress(BusFault, ValueError):  # the port is gone, or no servo was ever set up
            self._clear_register(t.WATCHDOG)
        self._is_enabled = False
        self._port.close()

    def _clear_register(self, register: t.Register) -> None:
        self._link.send(codec.sync_write(register.address, dict.fromkeys(self._plans, b"\x00")))

    def _update_states(self, request: codec.Packet, idents: list[int]) -> set[int]:
        """Request the states of servos and keep them; return the ids that answered."""
        answers = self._link.request(request, idents, t.CYCLE_BYTES)
        now = self._clock()
        answered = set()
        for ident, answer in answers.items():
            if len(answer.parameters) != t.CYCLE_BYTES:
                continue
            state = unpack_state(answer.parameters, now)
            if state.id == ident and not self._freshness[ident].is_fresh(state.tick, now):
                continue  # the answer to an earlier request
            self._states[ident] = state
            answered.add(ident)
        return answered

    def _write_all(self, register: t.Register, value: int, is_done: Callable[[ServoState], bool], failure: str) -> None:
        """Write to all servos until the states that they report satisfy `is_done`. Raises BusFault."""
        for _ in range(ATTEMPTS):
            sent = self._clock()
            self._link.send(codec.sync_write(register.address, dict.fromkeys(self._plans, register.pack(value))))
            self.read()
            missing = [i for i in self._plans if self._states[i].time < sent or not is_done(self._states[i])]
            if not missing:
                return
        joint = self._plans[missing[0]].joint.joint
        raise BusFault(
            f"the servo of {joint}, id {missing[0]}, {failure}",
            remedy=f"check the cable and the power of {joint}, then call reset and enable",
            joint=joint,
        )

    def _wait_for(self, ident: int) -> None:
        end = self._clock() + REBOOT_TIMEOUT_S
        while self._clock() < end:
            if self._link.request(codec.ping(ident), [ident], 3):
                return
        raise NoAnswer


BUS_KIND = BusKind(
    DynamixelSettings,
    DynamixelJoint,
    DynamixelBus,
    "hw_drivers.dynamixel.emulator:emulate",
    supply_range=lambda _settings, joint: t.MODELS[joint.settings.model].voltage,
)
