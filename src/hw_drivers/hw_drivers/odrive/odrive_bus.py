"""ODrives on one CAN interface behind the contract of `hw_drivers.bus.bus`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from crawler_core.errors import UserError
from crawler_core.types import FloatArray
from hw_drivers.bus.bus import BusFault, BusKind, Device, JointMap, Reading
from hw_drivers.odrive import setup
from hw_drivers.odrive.axis import Axis, Expectation
from hw_drivers.odrive.codec import ask
from hw_drivers.odrive.error_flags import PROCEDURE_RESULTS, SYSTEM_LEVEL, WATCHDOG_TIMER_EXPIRED
from hw_drivers.odrive.messages import (
    AxisState,
    ClearErrors,
    Estop,
    GetBusVoltageCurrent,
    GetTemperature,
    Heartbeat,
    Message,
    Reboot,
    RebootAction,
    SetAxisState,
)
from hw_drivers.odrive.network import Network
from hw_drivers.odrive.plan import plan_axis, setpoint
from hw_drivers.odrive.settings import OdriveJoint, OdriveSettings
from hw_drivers.ports.can_port import CanPort

ARMING_TIMEOUT_S = 0.5  # s that an axis may take to switch its torque on
FEED_PERIOD_S = 0.01  # s between setpoints meanwhile: whose watchdog runs already must not starve
REBOOT_TIMEOUT_S = 5.0  # s that a drive may take to come back
QUERY_PERIOD_S = (
    0.1  # s between questions for what drives do not send by themselves: temperatures and voltages, in turn
)


class OdriveBus:
    """One CAN interface. A cycle sends a setpoint to every axis and takes what the axes send at rates of their own.

    That a frame left says nothing of who got it: an axis lives as long as its heartbeat comes. The other way round,
    each setpoint feeds the axis's watchdog, which takes the torque off when this program dies; CANSimple can neither
    set nor disarm it, so that is done once, in the drive (docs/hardware.md).
    """

    kind: ClassVar[str] = "odrive"

    def __init__(
        self,
        name: str,
        settings: OdriveSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Tests bring their own `clock` and `sleep` (s)."""
        self.name = name
        self._settings = settings
        self._silence = settings.missed_heartbeats * settings.heartbeat_period
        self._port = CanPort(settings.port, settings.bitrate)
        self._network = Network(self._port, settings.reply_timeout, clock, sleep)
        self._clock = clock
        self._expected = Expectation(False, clock())
        self._setpoints: dict[int, Message] = {}
        self._wanted: tuple[FloatArray, FloatArray, FloatArray] | None = None
        self._asked = 0
        self._asked_at = clock()

    def open(self) -> None:
        """Open the interface. Raises UserError."""
        self._port.open()

    def scan(self) -> tuple[Device, ...]:
        """Who answers, or sends heartbeats."""
        return setup.scan(self._network, self._settings.heartbeat_period)

    def configure(self, joints: Sequence[JointMap]) -> None:
        """Check and set up every drive. Raises UserError."""
        plans = [plan_axis(joint) for joint in joints]
        self._forget_setpoints()
        try:
            setup.set_up(self._network, plans, self._silence)
        except BusFault as fault:
            raise UserError(f"{fault}: {fault.remedy}.") from None
        self._expected = Expectation(False, self._clock())

    def read(self) -> tuple[Reading, ...]:
        """Take what has come, and ask for what does not come by itself. Raises BusFault."""
        self._network.hear()
        self._ask_in_turn()
        now = self._clock()
        if not self._expected.torque:
            for node, axis in self._network.axes.items():
                if axis.has_torque and axis.heartbeat_time > self._expected.since:
                    self._network.send(node, SetAxisState(AxisState.IDLE))  # it did not hear us the first time
        return tuple(axis.reading(now, self._expected, self._silence) for axis in self._axes)

    def write(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        """A setpoint to every axis; while disabled, kept for `enable`. Raises BusFault."""
        self._wanted = (position.copy(), velocity.copy(), effort.copy())
        if not self._expected.torque:
            return
        for i, (node, axis) in enumerate(self._network.axes.items()):
            wanted = float(position[i]), float(velocity[i]), float(effort[i])
            self._setpoints[node] = setpoint(axis.plan, *wanted, axis.measured)
        self.keep_alive()

    def enable(self) -> None:
        """Torque on, each joint where it is. Raises BusFault; then the torque of all is off again."""
        try:
            self._arm()
        except BusFault:
            self.release()
            raise
        self._expected = Expectation(True, self._clock())
        if self._wanted is not None:
            self.write(*self._wanted)

    def release(self) -> tuple[BusFault, ...]:
        """Torque off, and again with the emergency stop where an axis does not confirm it."""
        self._forget_setpoints()
        failures: dict[int, str] = {}
        asked = self._clock()
        for kind in (SetAxisState(AxisState.IDLE), Estop()):
            for node in self._network.axes:
                if kind.command == Estop.command and not self._may_be_on(node, asked):
                    continue
                failures.pop(node, None)
                try:
                    self._network.send(node, kind)
                except BusFault as fault:
                    failures[node] = f": {fault}"
            try:
                self._network.ask(self._network.axes, Heartbeat, lambda node: not self._may_be_on(node, asked))
            except BusFault as fault:
                failures.update({node: f": {fault}" for node in self._network.axes if self._may_be_on(node, asked)})
        for node in self._network.axes:
            if self._may_be_on(node, asked):
                failures.setdefault(node, ": its ODrive does not confirm it")
        self._expected = Expectation(False, self._clock())
        return tuple(self._still_on(node, why) for node, why in failures.items() if self._may_be_on(node, asked))

    def keep_alive(self) -> None:
        """Send the setpoints, which feed the watchdogs. Raises BusFault, after every axis was tried."""
        failed: BusFault | None = None
        for node, message in self._setpoints.items():
            try:
                self._network.send(node, message)
            except BusFault as fault:
                failed = failed or fault
        if failed:
            raise failed

    def clear(self) -> None:
        """Clear the errors, reboot whoever needs it, and set all up again. Raises BusFault."""
        self.release()
        joints = [axis.plan.joint for axis in self._axes]
        for node in self._network.axes:
            self._network.send(node, ClearErrors(0))
        sent = self._clock()
        self._network.ask(self._network.axes, Heartbeat, lambda node: self._network.axes[node].heartbeat_time > sent)
        for node, axis in self._network.axes.items():
            if axis.heartbeat.axis_error & SYSTEM_LEVEL:
                self._network.send(node, Reboot(RebootAction.REBOOT))
                since = self._clock()
                self._network.wait(REBOOT_TIMEOUT_S, lambda axis=axis, since=since: axis.heartbeat_time > since)  # type: ignore[misc]
        try:
            self.configure(joints)
        except UserError as error:
            raise BusFault(str(error).rstrip("."), remedy="put that right, then call reset and enable") from None

    def close(self) -> None:
        """Release the interface. The drives' watchdogs, where they are on, take the torque off a little later."""
        self._forget_setpoints()  # the axes stay known: `release` works on a port that is opened again
        self._expected = Expectation(False, self._clock())
        self._port.close()

    @property
    def _axes(self) -> tuple[Axis, ...]:
        return tuple(self._network.axes.values())

    def _forget_setpoints(self) -> None:
        self._setpoints = {}
        self._wanted = None

    def _arm(self) -> None:
        self._network.hear()
        for node, axis in self._network.axes.items():
            reading = axis.reading(self._clock(), Expectation(False, self._clock()), self._silence)
            if reading.errors:
                joint = axis.plan.joint.joint
                raise BusFault(f"{joint}: {'; '.join(reading.errors)}", remedy=reading.remedy, joint=joint)
            here = setpoint(axis.plan, reading.position, 0.0, float("nan"), (reading.position, reading.velocity))
            self._setpoints[node] = here
            for message in (axis.plan.mode(), axis.plan.limits(), here):
                self._network.send(node, message)
            self._close_loop(axis)
        asked = self._clock()
        end = asked + ARMING_TIMEOUT_S
        while missing := [node for node in self._network.axes if not self._is_armed(node, asked)]:
            if self._clock() >= end:
                raise self._not_armed(missing[0])
            self.keep_alive()
            for node in missing:
                axis = self._network.axes[node]
                if axis.heartbeat_time >= asked and axis.heartbeat.axis_error == WATCHDOG_TIMER_EXPIRED:
                    self._close_loop(axis)  # it bit since the heartbeat before, and barred the way
                self._port.send(ask(node, Heartbeat))
            self._network.wait(FEED_PERIOD_S, lambda: all(self._is_armed(node, asked) for node in self._network.axes))

    def _close_loop(self, axis: Axis) -> None:
        """Torque on. A watchdog that bit while there was nothing to do would bar the way."""
        if axis.heartbeat.axis_error & WATCHDOG_TIMER_EXPIRED:
            self._network.send(axis.plan.joint.id, ClearErrors(0))
        self._network.send(axis.plan.joint.id, SetAxisState(AxisState.CLOSED_LOOP_CONTROL))

    def _is_armed(self, node: int, asked: float) -> bool:
        axis = self._network.axes[node]
        return axis.heartbeat_time >= asked and axis.heartbeat.axis_state == AxisState.CLOSED_LOOP_CONTROL

    def _not_armed(self, node: int) -> BusFault:
        axis = self._network.axes[node]
        joint = axis.plan.joint.joint
        meanings, remedy = axis.troubles(torque=True)
        why = meanings or PROCEDURE_RESULTS.get(axis.heartbeat.procedure_result, "its ODrive does not confirm it")
        return BusFault(
            f"the torque of {joint} does not come on: {why}",
            remedy=remedy or f"check the calibration, the power and the CAN cable of {joint}'s drive",
            joint=joint,
        )

    def _may_be_on(self, node: int, asked: float) -> bool:
        axis = self._network.axes[node]
        return axis.heartbeat_time < asked or axis.has_torque

    def _still_on(self, node: int, why: str) -> BusFault:
        joint = self._network.axes[node].plan.joint.joint
        return BusFault(
            f"the torque of {joint} could not be switched off{why}",
            remedy="switch the power of the motors off",
            joint=joint,
        )

    def _ask_in_turn(self) -> None:
        nodes = list(self._network.axes)
        if not nodes or self._clock() - self._asked_at < QUERY_PERIOD_S:
            return
        self._asked_at = self._clock()
        kind = (GetTemperature, GetBusVoltageCurrent)[self._asked // len(nodes) % 2]
        self._port.send(ask(nodes[self._asked % len(nodes)], kind))
        self._asked += 1


BUS_KIND = BusKind(OdriveSettings, OdriveJoint, OdriveBus, "hw_drivers.odrive.emulator:emulate", by_effort=True)
