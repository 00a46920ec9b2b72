"""Emulated ODrives on a CAN bus of python-can: the real frames, spoiled by faults."""

from __future__ import annotations

import contextlib
import math
import random
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import can

from crawler_core.reality.reality import IDEAL, Reality
from hw_drivers.bus.joint_map import TURN_RAD, JointMap
from hw_drivers.bus.struct_message import BadMessage
from hw_drivers.emulation.disturbance import SPOILING, Disturbance, DisturbedWay, disturbed_ways
from hw_drivers.emulation.effort_drive import EffortDrive
from hw_drivers.emulation.emulated_encoder import EmulatedEncoder
from hw_drivers.emulation.emulator import INJECTABLE_FAULTS, DelayLine, Emulator, Load
from hw_drivers.emulation.virtual_clock import NEVER_NS, VirtualClock
from hw_drivers.odrive import error_flags as flags
from hw_drivers.odrive.codec import decode, encode, split_id
from hw_drivers.odrive.emulated_axis import AMBIENT_C, INTEGRATION_STEP_S, TRIP_C, AxisHardware, EmulatedAxis
from hw_drivers.odrive.messages import AxisState
from hw_drivers.odrive.plan import plan_axis
from hw_drivers.odrive.settings import OdriveJoint, OdriveSettings
from hw_drivers.ports.can_port import CanFrame
from hw_drivers.ports.emulated_can import EMULATED_WIRES, INTERFACE_NAME, new_wire

LATE_FRAME_DELAY_S = 0.5
POLL_PERIOD_S = 0.002  # of the motors while no frame comes
FRAME_OVERHEAD_BYTES = 6  # of the id, the checksum and the rest of a frame
RESTART_TIME_S = 0.1  # of a controller that has gone bus-off, as `restart-ms 100` says
MAX_ACCELERATION_TURNS_S2 = 150.0  # of the joint at the motor's full torque


class _CanController:
    """A sender on a disturbed wire. It repeats spoiled frames, and gives up after too many of them."""

    def __init__(self, way: DisturbedWay, frame_time_s: float) -> None:
        self._way = way
        self._frame_time_s = frame_time_s
        self._errors = 0  # its transmit error counter
        self._free = 0.0  # s, when its last frame has left
        self.restart = -math.inf  # s, the end of its bus-off

    def arrivals(self, frame: CanFrame, now: float, *, is_command: bool) -> list[float]:
        """Send a frame now; return when (s) it arrives, nothing where it gets lost."""
        if now < self.restart:
            return []
        size = FRAME_OVERHEAD_BYTES + len(frame.data)
        if self._way.kind != "garbled":
            copies = 1
            if self._way.kind in SPOILING and self._way.is_hit(size):
                copies = 2 if self._way.kind == "doubled" else 0
            now_ns = round(1e9 * now)
            return [now + 1e-9 * (at - now_ns) for at in self._way.arrivals(now_ns, is_command=is_command)] * copies
        self._free = max(self._free, now)
        while self._way.is_hit(size):
            self._free += self._frame_time_s
            self._errors += 8
            if self._errors > 255:
                self._errors, self.restart = 0, now + RESTART_TIME_S
                return []
        self._free += self._frame_time_s
        self._errors = max(0, self._errors - 1)
        return [self._free]


class OdriveEmulator(Emulator):
    """Drives, one for each joint and perhaps more, on an emulated interface or on another one of python-can.

    Of its own faults, `bus_off` makes the interface give up, and `error` trips the axis on its gate driver.
    """

    faults = (*INJECTABLE_FAULTS, "bus_off", "error")

    def __init__(
        self,
        axes: Sequence[EmulatedAxis],
        joints: Sequence[JointMap],
        *,
        bus: Any = None,
        port: str = "",
        clock: Callable[[], float] = time.monotonic,
        bitrate: int = 250_000,
        loss: float = 0.0,
        seed: int = 0,
    ) -> None:
        """The first axes belong to `joints`. `bus` puts them on that one, which the driver opens as `port`.

        `loss` is the share of the drives' frames that get lost.
        """
        super().__init__(joints, clock)
        self._loss, self._random = loss, random.Random(f"{seed} frames")
        self.axes = list(axes)
        is_virtual = isinstance(clock, VirtualClock)
        self._channel = "" if port else new_wire(self.run) if is_virtual else new_wire()
        self.port = port or f"{INTERFACE_NAME}:{self._channel}"
        self._bus = bus or can.Bus(interface="virtual", channel=self._channel, ignore_config=True)
        self._axis_faults: dict[int, str] = {}  # by the axis's index
        self._late: DelayLine[CanFrame] = DelayLine()
        self._to_axes: DelayLine[CanFrame] = DelayLine()
        self._frame_time_s = 8 * (8 + FRAME_OVERHEAD_BYTES) / bitrate
        self._controllers: tuple[_CanController, _CanController] | None = None  # of driver and drives, if disturbed
        if isinstance(clock, VirtualClock):
            clock.attach(self)

    def driver_options(self) -> dict[str, Any]:
        options = super().driver_options()
        return {**options, "sleep": self._clock.sleep} if isinstance(self._clock, VirtualClock) else options

    def due_ns(self) -> int:
        """Return the time (ns) of the next frame that a drive sends by itself, or of a late one."""
        times = [axis.next_due for axis in self.axes] + [time for time, _ in (*self._late, *self._to_axes)]
        return math.floor(1e9 * min(times)) + 1 if times else NEVER_NS  # never earlier, however it is rounded

    def run(self) -> None:
        """Handle and send what is due now, in virtual time."""
        self.advance()

    def start(self) -> None:
        """Run in real time, in a thread. Without it, the owner calls `advance`."""
        self._start_thread(lambda: self.advance(POLL_PERIOD_S))

    def advance(self, timeout: float = 0.0) -> None:
        """Handle received frames, turn the motors until now, and send the frames that are due.

        Waits for the first frame up to `timeout` (s).
        """
        message = self._bus.recv(timeout=timeout)
        with self._lock:
            now = self._clock()
            if self._controllers is not None:
                EMULATED_WIRES[self._channel].is_bus_off = now < self._controllers[0].restart
            while message is not None:
                if not message.is_error_frame:
                    self._take(CanFrame(message.arbitration_id, bytes(message.data), message.is_remote_frame), now)
                message = self._bus.recv(timeout=0.0)
            for frame in self._to_axes.take(now):
                self._handle(frame, now)
            for index, axis in enumerate(self.axes):
                for answer in axis.due(now):
                    self._send(index, encode(axis.hardware.node_id, answer), now)
            for frame in self._late.take(now):
                self._put(frame)

    def disturb(self, disturbance: Disturbance | None, seed: int = 0) -> None:
        """Disturb the wire and the adapter from now on; None ends that.

        Controllers find every spoiled frame and repeat it, so `garbled` bytes cost time, until a controller goes
        bus-off. `lost` and `doubled` frames are the adapter's: those of which one byte or more would be.
        """
        to_devices, to_driver = disturbed_ways(disturbance, seed)
        self._controllers = None
        if to_devices is not None and to_driver is not None:
            time_s = self._frame_time_s
            self._controllers = _CanController(to_devices, time_s), _CanController(to_driver, time_s)

    def attach_load(self, joint: str, load: Load) -> None:
        """Let the joint's motor turn `load`, through its gear, in place of a rotor."""
        index = self._joint_names().index(joint)
        geared, ratio = self._joints[index], self._joints[index].direction * self._joints[index].gear

        def push(torque: float, seconds: float) -> tuple[float, float]:
            angle, rate = load.push(torque * ratio, seconds)
            return geared.to_motor(angle) / TURN_RAD, geared.rate_to_motor(rate) / TURN_RAD

        with self._lock:
            self.axes[index].load = push

    def _motor_motion(self) -> Iterable[tuple[float, float]]:
        self._advance_axes()
        return [(axis.turns * TURN_RAD, axis.rate * TURN_RAD) for axis in self.axes]

    def torque(self) -> tuple[bool, ...]:
        with self._lock:
            self._advance_axes()
            return tuple(axis.is_armed for axis in self.axes[: len(self._joints)])

    def _advance_axes(self) -> None:
        now = self._clock()
        for axis in self.axes:
            axis.advance(now)

    def _inject(self, fault: str, joint: str) -> None:
        wire = EMULATED_WIRES.get(self._channel)
        if wire is not None:
            wire.is_gone, wire.is_bus_off = fault == "gone", fault == "bus_off"
        elif fault in ("gone", "bus_off"):
            raise ValueError("only an emulated interface can vanish or be bus-off")
        if fault == "none":
            self._heal()
            return
        indices = [self._joint_names().index(joint)] if joint else range(len(self.axes))
        for index in indices:
            axis = self.axes[index]
            self._axis_faults[index] = fault
            axis.advance(self._clock())
            axis.is_dead = axis.is_dead or fault == "dead"
            if fault == "hot":
                axis.temperature = TRIP_C + 10.0
            elif fault == "error":
                axis.trip(flags.DRV_FAULT)

    def _heal(self) -> None:
        self._axis_faults.clear()
        self._late.clear()
        for axis in self.axes:
            axis.temperature = AMBIENT_C
            if axis.is_dead:
                axis.is_dead, axis.state = False, AxisState.IDLE  # as after power-on

    def _close_port(self) -> None:
        with self._lock:
            EMULATED_WIRES.pop(self._channel, None)
            self._bus.shutdown()

    def _take(self, frame: CanFrame, now: float) -> None:
        """Take a frame of the driver, which arrives now or, on a disturbed wire, at another time."""
        if self._controllers is None:
            self._handle(frame, now)
            return
        for arrival in self._controllers[0].arrivals(frame, now, is_command=not frame.remote):
            self._to_axes.put(arrival, frame)
        EMULATED_WIRES[self._channel].is_bus_off = now < self._controllers[0].restart

    def _handle(self, frame: CanFrame, now: float) -> None:
        node_id, command = split_id(frame.id)
        for index, axis in enumerate(self.axes):
            if axis.hardware.node_id != node_id:
                continue
            if frame.remote:
                axis.advance(now)
                if (answer := axis.answer(command)) is not None:
                    self._send(index, encode(node_id, answer), now)
                continue
            with contextlib.suppress(BadMessage):  # a drive ignores unknown messages
                axis.handle(decode(frame)[1], now)

    def _send(self, index: int, frame: CanFrame, now: float) -> None:
        fault = self._axis_faults.get(index)
        if fault == "lost" or (self._loss and self._random.random() < self._loss):
            return
        if fault == "late":
            self._late.put(now + LATE_FRAME_DELAY_S, frame)
            return
        if fault == "corrupt":  # a CAN controller drops frames with a wrong checksum: a bad one has another length
            frame = CanFrame(frame.id, bytes(8) if len(frame.data) < 8 else frame.data[:1])
        elif fault == "truncated":
            frame = CanFrame(frame.id, frame.data[: len(frame.data) // 2])
        if self._controllers is None:
            self._put(frame)
            return
        for arrival in self._controllers[1].arrivals(frame, now, is_command=False):
            self._late.put(arrival, frame)

    def _put(self, frame: CanFrame) -> None:
        message = can.Message(arbitration_id=frame.id, data=frame.data, is_extended_id=False)
        with contextlib.suppress(can.CanError):  # no other node is on the bus
            self._bus.send(message, timeout=0.0)


def axis_hardware(settings: OdriveSettings, joint: JointMap, number: int = 0) -> AxisHardware:
    """Return a drive that suits a joint of the robot file."""
    plan = plan_axis(joint)
    own: OdriveJoint = joint.settings
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


def _make_axis(
    hardware: AxisHardware, joint: JointMap, angle: float, now: float, reality: Reality, seed: int
) -> EmulatedAxis:
    turns = joint.to_motor(angle) / TURN_RAD
    if reality == IDEAL:
        return EmulatedAxis(hardware, turns, now)
    drive = EffortDrive(reality, joint.effort, joint.velocity, INTEGRATION_STEP_S)
    encoder = EmulatedEncoder(reality, joint.joint, seed, is_effort_driven=joint.is_effort_driven)
    return EmulatedAxis(hardware, turns, now, drive=drive, encoder=encoder, ratio=joint.direction * joint.gear)


def emulate(
    settings: OdriveSettings,
    joints: Sequence[JointMap],
    start: Sequence[float],
    *,
    clock: VirtualClock | None = None,
    reality: Reality = IDEAL,
    seed: int = 0,
) -> OdriveEmulator:
    """Start the drives of the robot file, with their joints at `start` (rad)."""
    time_source = clock or time.monotonic
    now = time_source()
    axes = [
        _make_axis(axis_hardware(settings, joint, i), joint, angle, now, reality, seed)
        for i, (joint, angle) in enumerate(zip(joints, start, strict=True))
    ]
    emulator = OdriveEmulator(axes, joints, clock=time_source, bitrate=settings.bitrate, loss=reality.loss, seed=seed)
    if clock is None:
        emulator.start()
    return emulator
