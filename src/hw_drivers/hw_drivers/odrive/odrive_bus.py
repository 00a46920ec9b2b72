"""The driver of ODrives on one CAN interface."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from crawler_core.types import FloatArray
from hw_drivers.bus.bus import Bus, BusFault, BusKind, Device, Reading, torque_off_failed
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.bus.link_quality import LinkQuality
from hw_drivers.odrive import setup
from hw_drivers.odrive.axis import Axis, Expectation
from hw_drivers.odrive.error_flags import PROCEDURE_RESULTS, SYSTEM_LEVEL, WATCHDOG_TIMER_EXPIRED
from hw_drivers.odrive.messages import (
    AxisState,
    ClearErrors,
    Estop,
    GetBusVoltageCurrent,
    GetTemperature,
    GetVersion,
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

ARMING_TIMEOUT_S = 0.5  # for an axis to switch its torque on
FEED_PERIOD_S = 0.01  # of the setpoints meanwhile, which feed watchdogs that run already
REBOOT_TIMEOUT_S = 5.0
SUPPLY_RANGE_V = (10.0, 58.0)  # of all models by their data sheets; a drive's own limits are narrower
# queries of messages that drives do not send by themselves, in turn, at times that no constant delay fits
QUERIES: tuple[type[Message], ...] = (GetVersion, GetTemperature, GetVersion, GetBusVoltageCurrent)
QUERY_PERIODS_S = (0.04, 0.055, 0.047)
OLD_ANSWER_WEIGHT = 2.0
MAX_MISSED_ESTIMATES = 20.0  # in a row, until they count no more: nobody has read them
CHECKED_LINE = "the cable, the terminators, the adapter, and that the drives send estimates every estimate_period"


class OdriveBus(Bus):
    """One CAN interface. A cycle sends a setpoint to every axis and takes the messages that came since.

    A sent frame proves no receiver: an axis is alive as long as its heartbeat comes. Its estimates are counted, and its
    answers to queries timed, since CANSimple cannot read a setpoint back. In the other direction each
    setpoint feeds the axis's watchdog, which takes the torque off when this program dies. CANSimple can neither set nor
    disarm the watchdog, so that is done once, in the drive (docs/hardware.md).
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
        """Tests pass their own `clock` and `sleep` (s)."""
        self.name = name
        self.quality = LinkQuality(f"the bus '{name}'", subject=CHECKED_LINE)
        self._settings = settings
        self._heartbeat_timeout = settings.missed_heartbeats * settings.heartbeat_period
        self._port = CanPort(settings.port, settings.bitrate)
        self._network = Network(self._port, settings.reply_timeout, clock, sleep)
        self._clock = clock
        self._expected = Expectation(False, clock())
        self._messages: dict[int, Message] = {}  # the setpoints, by node
        self._setpoints: tuple[FloatArray, FloatArray, FloatArray] | None = None
        self._queries = 0
        self._last_query = self._last_count = clock()  # s

    def open(self) -> None:
        self._port.open()

    def scan(self) -> tuple[Device, ...]:
        return setup.scan(self._network, self._settings.heartbeat_period)

    def configure(self, joints: Sequence[JointMap]) -> None:
        plans = [plan_axis(joint) for joint in joints]
        self._forget_setpoints()
        try:
            setup.set_up(self._network, plans, self._heartbeat_timeout)
        except BusFault as fault:
            raise fault.as_user_error() from None
        self._expected = Expectation(False, self._clock())
        self._restart_counts()

    def read(self) -> tuple[Reading, ...]:
        self._network.receive()
        self._count_answers()
        self._query_in_turn()
        now = self._clock()
        if not self._expected.torque:
            for node, axis in self._network.axes.items():
                if axis.has_torque and axis.heartbeat_time > self._expected.since:
                    self._network.send(node, SetAxisState(AxisState.IDLE))  # it missed the first one
        return tuple(axis.reading(now, self._expected, self._heartbeat_timeout) for axis in self._axes)

    def write(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        self._setpoints = (position.copy(), velocity.copy(), effort.copy())
        if not self._expected.torque:
            return
        rows = zip(position.tolist(), velocity.tolist(), effort.tolist(), strict=True)
        for (node, axis), row in zip(self._network.axes.items(), rows, strict=True):
            self._messages[node] = setpoint(axis.plan, *row, axis.measured)
        self.keep_alive()

    def _switch_on(self) -> None:
        self._arm()
        self._expected = Expectation(True, self._clock())
        if self._setpoints is not None:
            self.write(*self._setpoints)

    def release(self) -> tuple[BusFault, ...]:
        """Switch the torque off, and by the emergency stop where an axis does not confirm it."""
        self._forget_setpoints()
        start = self._clock()
        self._switch_off(SetAxisState(AxisState.IDLE), start)
        failures = self._switch_off(Estop(), start)
        self._expected = Expectation(False, self._clock())
        return tuple(
            torque_off_failed(axis.plan.joint.joint, failures.get(node, "its ODrive does not confirm it"))
            for node, axis in self._network.axes.items()
            if self._may_have_torque(axis, start)
        )

    def _switch_off(self, message: Message, start: float) -> dict[int, str]:
        """Send a state to every axis, another message to those that may have torque. Return failures by node."""
        failures: dict[int, str] = {}
        axes = self._network.axes
        for node, axis in axes.items():
            if self._may_have_torque(axis, start) or isinstance(message, SetAxisState):
                try:
                    self._network.send(node, message)
                except BusFault as fault:
                    failures[node] = str(fault)
        try:
            self._network.query_until(axes, Heartbeat, lambda node: not self._may_have_torque(axes[node], start))
        except BusFault as fault:
            failures |= dict.fromkeys(axes, str(fault))
        return failures

    def keep_alive(self) -> None:
        """Send the setpoints, which feed the watchdogs. Raises BusFault, after every axis was tried."""
        failed: BusFault | None = None
        for node, message in self._messages.items():
            try:
                self._network.send(node, message)
            except BusFault as fault:
                failed = failed or fault
        if failed:
            raise failed

    def _clear_devices(self) -> None:
        """Clear the errors, and reboot the drives that need it."""
        axes = self._network.axes
        for node in axes:
            self._network.send(node, ClearErrors(0))
        sent = self._clock()
        self._network.query_until(axes, Heartbeat, lambda node: axes[node].heartbeat_time > sent)
        for node, axis in axes.items():
            if axis.heartbeat.axis_error & SYSTEM_LEVEL:
                self._network.send(node, Reboot(RebootAction.REBOOT))
                since = self._clock()
                self._network.wait(REBOOT_TIMEOUT_S, lambda axis=axis, since=since: axis.heartbeat_time > since)  # type: ignore[misc]

    def _joints(self) -> list[JointMap]:
        return [axis.plan.joint for axis in self._axes]

    def close(self) -> None:
        """Release the interface. The drives' watchdogs, where they are on, take the torque off a little later."""
        self._forget_setpoints()  # the axes stay known: `release` works on a port that is opened again
        self._expected = Expectation(False, self._clock())
        self._port.close()

    @property
    def _axes(self) -> tuple[Axis, ...]:
        return tuple(self._network.axes.values())

    def _restart_counts(self) -> None:
        self._last_count = self._clock()
        for axis in self._axes:
            axis.estimates = 0
        self._network.old_answers = self._network.timely_answers = 0

    def _forget_setpoints(self) -> None:
        self._messages = {}
        self._setpoints = None

    def _arm(self) -> None:
        """Close the loop of every axis where it stands. Raises BusFault."""
        self._network.receive()
        for node, axis in self._network.axes.items():
            reading = axis.reading(self._clock(), Expectation(False, self._clock()), self._heartbeat_timeout)
            if reading.errors:
                joint = axis.plan.joint.joint
                raise BusFault(f"{joint}: {'; '.join(reading.errors)}", remedy=reading.remedy, joint=joint)
            here = setpoint(axis.plan, reading.position, 0.0, math.nan, (reading.position, reading.velocity))
            self._messages[node] = here
            for message in (axis.plan.mode(), axis.plan.limits(), here):
                self._network.send(node, message)
            self._close_loop(axis)
        start = self._clock()
        while missing := [axis for axis in self._axes if not self._is_armed(axis, start)]:
            if self._clock() >= start + ARMING_TIMEOUT_S:
                raise self._arming_fault(missing[0])
            self.keep_alive()
            for axis in missing:
                if axis.heartbeat_time >= start and axis.heartbeat.axis_error == WATCHDOG_TIMER_EXPIRED:
                    self._close_loop(axis)  # the watchdog has expired since the last heartbeat
                self._network.query(axis.plan.joint.id, Heartbeat)
            self._network.wait(FEED_PERIOD_S, lambda: all(self._is_armed(axis, start) for axis in self._axes))

    def _close_loop(self, axis: Axis) -> None:
        """Switch the torque on, after clearing a watchdog that expired while there were no setpoints."""
        if axis.heartbeat.axis_error & WATCHDOG_TIMER_EXPIRED:
            self._network.send(axis.plan.joint.id, ClearErrors(0))
        self._network.send(axis.plan.joint.id, SetAxisState(AxisState.CLOSED_LOOP_CONTROL))

    def _is_armed(self, axis: Axis, since: float) -> bool:
        return axis.heartbeat_time >= since and axis.heartbeat.axis_state == AxisState.CLOSED_LOOP_CONTROL

    def _arming_fault(self, axis: Axis) -> BusFault:
        joint = axis.plan.joint.joint
        meanings, remedy = axis.explain_errors(torque=True)
        reason = "; ".join(meanings) or PROCEDURE_RESULTS.get(
            axis.heartbeat.procedure_result, "its ODrive does not confirm it"
        )
        return BusFault(
            f"the torque of {joint} does not come on: {reason}",
            remedy=remedy or f"check the calibration, the power and the CAN cable of {joint}'s drive",
            joint=joint,
        )

    def _may_have_torque(self, axis: Axis, since: float) -> bool:
        return axis.heartbeat_time < since or axis.has_torque

    def _count_answers(self) -> None:
        """Count estimates that did not come, and old answers: what the drives do then follows old commands, too."""
        network, now = self._network, self._clock()
        self.quality.add(OLD_ANSWER_WEIGHT * network.old_answers, network.old_answers + network.timely_answers)
        network.old_answers = network.timely_answers = 0
        expected = (now - self._last_count) / self._settings.estimate_period
        if expected < 1.0:
            return
        if expected > MAX_MISSED_ESTIMATES:
            self._restart_counts()
            return
        self._last_count = now
        for axis in self._axes:
            self.quality.add(expected - axis.estimates, expected, axis.plan.joint.joint)
            axis.estimates = 0

    def _query_in_turn(self) -> None:
        nodes = list(self._network.axes)
        if not nodes or self._clock() - self._last_query < QUERY_PERIODS_S[self._queries % len(QUERY_PERIODS_S)]:
            return
        self._last_query = self._clock()
        kind = QUERIES[self._queries // len(nodes) % len(QUERIES)]
        self._network.query(nodes[self._queries % len(nodes)], kind)
        self._queries += 1


BUS_KIND = BusKind(
    OdriveSettings,
    OdriveJoint,
    OdriveBus,
    "hw_drivers.odrive.emulator:emulate",
    supports_effort=True,
    supply_range=lambda _settings, _joint: SUPPLY_RANGE_V,
)
