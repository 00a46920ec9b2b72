"""Emulated ODrives on a CAN bus of python-can. They send the real frames; faults spoil these on their way."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import can
import numpy as np

from crawler_core.errors import unknown_name
from crawler_core.types import FloatArray
from hw_drivers.bus.bus import JointMap
from hw_drivers.emulation.emulator import INJECTABLE_FAULTS, Load
from hw_drivers.odrive import error_flags as flags
from hw_drivers.odrive.codec import BadFrame, CanFrame, decode, encode, split_id
from hw_drivers.odrive.emulated_axis import AMBIENT_C, TRIP_C, AxisHardware, EmulatedAxis
from hw_drivers.odrive.plan import TURN_RAD, plan_axis
from hw_drivers.odrive.settings import OdriveJoint, OdriveSettings
from hw_drivers.ports.emulated_can import EMULATED_WIRES, INTERFACE_NAME, new_wire

# bus_off: the interface gives up; error: the axis trips on its gate driver
ODRIVE_INJECTABLE_FAULTS = (*INJECTABLE_FAULTS, "bus_off", "error")
LATE_REPLY_DELAY_S = 0.5  # s that late frames are under way
POLL_PERIOD_S = 0.002  # s between looks at the motors while no frame comes
MAX_ACCELERATION_TURNS_S2 = 150.0  # turns/s² of the joint that the motor can give


class OdriveEmulator:
    """Drives, one for each joint and perhaps more, on an emulated interface or on another that python-can knows."""

    def __init__(
        self,
        axes: Sequence[EmulatedAxis],
        joints: Sequence[JointMap],
        *,
        bus: Any = None,
        port: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """The first axes belong to `joints`. With `bus`, they are on that one, which the driver opens as `port`."""
        self.axes = list(axes)
        self._joints = list(joints)
        self._channel = "" if port else new_wire()
        self.port = port or f"{INTERFACE_NAME}:{self._channel}"
        self._bus = bus or can.Bus(interface="virtual", channel=self._channel, ignore_config=True)
        self._clock = clock
        self._faults: dict[int, str] = {}  # of each axis, by its place
        self._late: deque[tuple[float, CanFrame]] = deque()
        self._lock = threading.RLock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"emulated {self.port}", daemon=True)

    def start(self) -> None:
        """Live by the clock, in a thread; otherwise somebody calls `advance`."""
        self._thread.start()

    def advance(self, waiting: float = 0.0) -> None:
        """Take the frames that have come, let the motors turn until now, and send what is due."""
        message = self._bus.recv(timeout=waiting)
        with self._lock:
            now = self._clock()
            while message is not None:
                if not message.is_error_frame:
                    frame = CanFrame(message.arbitration_id, bytes(message.data), message.is_remote_frame)
                    self._take(frame, now)
                message = self._bus.recv(timeout=0.0)
            for place, axis in enumerate(self.axes):
                for answer in axis.due(now):
                    self._send(place, encode(axis.hardware.node_id, answer), now)
            while self._late and self._late[0][0] <= now:
                self._put(self._late.popleft()[1])

    def carry(self, joint: str, load: Load) -> None:
        """Let the joint's motor turn `load`, through its gear, in place of a rotor of its own."""
        (place,) = (i for i, one in enumerate(self._joints) if one.joint == joint)
        geared, ratio = self._joints[place], self._joints[place].direction * self._joints[place].gear

        def push(torque: float, seconds: float) -> tuple[float, float]:
            angle, rate = load.push(torque * ratio, seconds)
            return geared.to_motor(angle) / TURN_RAD, geared.rate_to_motor(rate) / TURN_RAD

        with self._lock:
            self.axes[place].load = push

    def motion(self) -> tuple[FloatArray, FloatArray]:
        """The joints' true angles and rates."""
        with self._lock:
            now = self._clock()
            for axis in self.axes:
                axis.advance(now)
            pairs = list(zip(self._joints, self.axes, strict=False))
            return (
                np.array([joint.to_joint(axis.turns * TURN_RAD) for joint, axis in pairs]),
                np.array([joint.rate_to_joint(axis.rate * TURN_RAD) for joint, axis in pairs]),
            )

    def torque(self) -> tuple[bool, ...]:
        """Whether each joint's motor holds torque."""
        with self._lock:
            now = self._clock()
            for axis in self.axes:
                axis.advance(now)
            return tuple(axis.armed for axis in self.axes[: len(self._joints)])

    def inject(self, fault: str, joint: str = "") -> None:
        """Begin a fault of ODRIVE_INJECTABLE_FAULTS; `none` heals everything."""
        if fault not in ODRIVE_INJECTABLE_FAULTS:
            raise unknown_name("fault of emulated ODrives", fault, ODRIVE_INJECTABLE_FAULTS)
        if joint and all(one.joint != joint for one in self._joints):
            return  # it is on another bus
        with self._lock:
            wire = EMULATED_WIRES.get(self._channel)
            if wire is not None:
                wire.gone, wire.bus_off = fault == "gone", fault == "bus_off"
            elif fault in ("gone", "bus_off"):
                raise ValueError("only an emulated interface can vanish or be bus-off")
            if fault == "none":
                self._heal()
                return
            for place, axis in enumerate(self.axes):
                if joint and (place >= len(self._joints) or self._joints[place].joint != joint):
                    continue
                self._faults[place] = fault
                axis.advance(self._clock())
                axis.dead = axis.dead or fault == "dead"
                if fault == "hot":
                    axis.temperature = TRIP_C + 10.0
                elif fault == "error":
                    axis.trip(flags.ERROR_FLAGS[5].bit)

    def close(self) -> None:
        """End it."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()
        with self._lock:
            EMULATED_WIRES.pop(self._channel, None)
            self._bus.shutdown()

    def _run(self) -> None:
        while not self._ending.is_set():
            self.advance(POLL_PERIOD_S)

    def _heal(self) -> None:
        self._faults.clear()
        self._late.clear()
        for axis in self.axes:
            axis.temperature = AMBIENT_C
            if axis.dead:
                axis.dead, axis.state = False, 1  # as after power-on

    def _take(self, frame: CanFrame, now: float) -> None:
        node_id, command = split_id(frame.id)
        for place, axis in enumerate(self.axes):
            if axis.hardware.node_id != node_id:
                continue
            if frame.remote:
                axis.advance(now)
                if (answer := axis.answer(command)) is not None:
                    self._send(place, encode(node_id, answer), now)
                continue
            with contextlib.suppress(BadFrame):  # a drive ignores what it does not understand
                axis.take(decode(frame)[1], now)

    def _send(self, place: int, frame: CanFrame, now: float) -> None:
        fault = self._faults.get(place)
        if fault == "lost":
            return
        if fault == "late":
            self._late.append((now + LATE_REPLY_DELAY_S, frame))
            return
        if fault == "corrupt":  # a CAN controller drops frames with a wrong checksum: a bad one has another length
            frame = CanFrame(frame.id, bytes(8) if len(frame.data) < 8 else frame.data[:1])
        elif fault == "truncated":
            frame = CanFrame(frame.id, frame.data[: len(frame.data) // 2])
        self._put(frame)

    def _put(self, frame: CanFrame) -> None:
        message = can.Message(arbitration_id=frame.id, data=frame.data, is_extended_id=False)
        with contextlib.suppress(can.CanError):  # nobody can hear it
            self._bus.send(message, timeout=0.0)


def axis_hardware(settings: OdriveSettings, joint: JointMap, number: int = 0) -> AxisHardware:
    """A drive that suits a joint of the robot file."""
    plan = plan_axis(joint)
    own: OdriveJoint = joint.own
    return AxisHardware(
        node_id=joint.id,
        serial_number=bytes([number + 1, 0, 0, 0, 0]) + b"\x02",
        torque_constant=own.torque_constant,
        max_torque=plan.torque_limit,
        inertia=plan.torque_limit / (2.0 * math.pi * MAX_ACCELERATION_TURNS_S2 * joint.gear),
        wrap=own.wrap,
        velocity_scale=own.velocity_scale,
        torque_scale=own.torque_scale,
        watchdog=settings.watchdog,
        heartbeat_period=settings.heartbeat_period,
        estimate_period=settings.estimate_period,
    )


def emulate(settings: OdriveSettings, joints: Sequence[JointMap], start: Sequence[float]) -> OdriveEmulator:
    """Drives as the robot file wants them, with their joints at `start` (rad), alive."""
    now = time.monotonic()
    axes = [
        EmulatedAxis(axis_hardware(settings, joint, i), joint.to_motor(angle) / TURN_RAD, now)
        for i, (joint, angle) in enumerate(zip(joints, start, strict=True))
    ]
    emulator = OdriveEmulator(axes, joints)
    emulator.start()
    return emulator
