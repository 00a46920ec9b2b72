"""The backend behind its supervisor on emulated buses: every fault stops all joints, says why, and needs a re-arm.

Time is virtual but for the tests of the buses' threads, which drive emulated motors behind pseudo-terminals.
"""

import contextlib
import math
import re
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from hw_robots import LONG, ideal_motors, snake, three_link, three_link_on_a_board, wait_for

from crawler_core.errors import BackendFault, UserError
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.safety.supervisor import MotionState, Supervisor
from crawler_core.types import JointCommand
from hw_drivers.backend.hardware_backend import HardwareBackend
from hw_drivers.backend.hardware_map import hardware_map
from hw_drivers.backend.hardware_settings import HardwareSettings
from hw_drivers.board.emulated_motor import FreeRotor
from hw_drivers.bus import bus_loop
from hw_drivers.emulation.emulated_backend import EmulatedBackend
from hw_drivers.emulation.emulated_settings import EmulatedSettings
from hw_drivers.emulation.emulation import Emulation

DT = 0.01
HOME = math.radians(110.0)
TICK = 2.0 * math.pi / 4096
BOARD = "the board"  # in place of a joint: the fault is of none of them
ROBOTS = {"dynamixel": three_link, "board": three_link_on_a_board}


@pytest.fixture(params=ROBOTS)
def kind(request):
    """The bus, of those whose motors tell where they are and are told where to be."""
    return request.param


class Rig:
    """A guarded robot on emulated motors."""

    def __init__(self, on_exit="rest_then_release", spec=None, kind="dynamixel", **hardware):
        spec = spec or ROBOTS[kind](**hardware)
        self.spec = replace(spec, safety=replace(spec.safety, on_exit=on_exit))
        self.backend = self.make_backend()
        self.runner = SupervisedBackend(self.backend, Supervisor(self.spec, DT), DT)

    def make_backend(self):
        return ideal_motors(self.spec, DT)

    def __enter__(self):
        self.runner.open()
        return self

    def __exit__(self, *_):
        self.backend.close()

    @property
    def emulation(self):
        return self.backend.emulation

    @property
    def emulator(self):
        return self.emulation.emulators["servos"]

    @property
    def report(self):
        return self.runner.supervisor.report

    @property
    def motion(self):
        return self.runner.supervisor.motion

    def arm(self):
        """Torque on."""
        self.runner.enable()
        assert self.tick()
        self.pass_time(2e-3)  # a board's bridges close with its loop's next turn
        assert self.emulator.torque() == (True, True)

    def pass_time(self, seconds):
        """Let time pass without ticks."""
        self.backend.let_time_pass(seconds)

    def tick(self, offset=0.0):
        return self.runner.tick(JointCommand(np.full(2, HOME + offset), np.zeros(2), np.full(2, np.nan)))

    def ticks_until(self, condition, seconds):
        """Tick until the condition holds, for `seconds` at most; return the seconds that passed."""
        for k in range(round(seconds / DT)):
            if condition():
                return k * DT
            self.tick()
        assert condition()
        return seconds

    def until_faulted(self, seconds=2.0):
        """Tick until a fault; return the seconds until then."""
        passed = self.ticks_until(lambda: self.motion is MotionState.FAULTED, seconds)
        self.tick()
        assert self.emulator.torque() == (False, False)
        return passed


class ThreadedRig(Rig):
    """The same on the wall clock: the buses' threads as with real motors, which nothing hurries."""

    def make_backend(self):
        buses = hardware_map(self.spec)
        self.motors = Emulation(self.spec, buses, in_real_time=True)
        connected = [self.motors.connected(bus) for bus in buses]
        return HardwareBackend(self.spec, HardwareSettings(patience=5.0), DT, connected)

    def __exit__(self, *_):
        super().__exit__()
        self.motors.close()

    @property
    def emulation(self):
        return self.motors

    def arm(self):
        """Torque on. A fault on the way, on a busy machine, is cleared."""

        def armed():
            if self.motion is MotionState.FAULTED:
                with contextlib.suppress(BackendFault):
                    self.runner.reset()
                    self.runner.enable()
                return False
            if self.motion is MotionState.DISABLED:
                self.runner.enable()
            self.tick()
            return self.emulator.torque() == (True, True)

        wait_for(armed)


UNHURRIED = {"servos": {"watchdog": 2.5, "reply_timeout": 0.25}}


@pytest.fixture
def no_hurry(monkeypatch):
    """Ticks and cycles may take as long as a busy machine needs."""
    monkeypatch.setattr(bus_loop, "TICK_TIMEOUT_S", LONG)
    monkeypatch.setattr(bus_loop, "CYCLE_TIMEOUT_S", LONG)


def test_nothing_has_torque_before_the_first_setpoint(kind):
    with Rig(kind=kind) as rig:
        rig.runner.enable()
        assert rig.emulator.torque() == (False, False)
        rig.tick()
        rig.pass_time(2e-3)
        assert rig.emulator.torque() == (True, True)


def test_enabling_far_from_the_command_approaches_slowly(kind):
    with Rig(kind=kind) as rig:
        rig.runner.enable()
        seen = [rig.emulator.motion()[0][0]]
        goals = [rig.runner.observation.position[0]]

        for _ in range(100):
            rig.tick(-0.2)
            goals.append(rig.runner.applied.position[0])
            seen.append(rig.emulator.motion()[0][0])
        assert seen[-1] == pytest.approx(HOME - 0.2, abs=2 * TICK)
        assert abs(goals[0] - HOME) < TICK
        assert np.abs(np.diff(goals)).max() <= rig.spec.safety.approach_velocity * DT * (1 + 1e-9)
        # no overshoot either, but for half a degree of the board's loop
        assert min(seen) > HOME - 0.2 - (6 if kind == "board" else 3) * TICK


def test_a_joint_found_outside_its_limits_is_led_back_and_not_thrown(kind):
    with Rig(kind=kind) as rig:
        outside = rig.spec.actuated[0].lower - math.radians(20.0)
        joint = rig.backend.loops[0]._joints[0]
        if kind == "board":
            rig.emulator.board.motors[0].load = FreeRotor(0.005, outside)
        else:
            rig.emulator.servos[0].motor.angle = joint.to_motor(outside)
        for _ in range(2):
            rig.runner.tick(None)
        assert rig.runner.observation.position[0] == pytest.approx(outside, abs=TICK)
        rig.runner.enable()
        rig.runner.tick(None)  # no command yet: it stays
        assert rig.runner.applied.position[0] == pytest.approx(outside, abs=TICK)
        goals = [rig.runner.applied.position[0]]

        for _ in range(200):
            rig.tick(-0.3)
            goals.append(rig.runner.applied.position[0])
        assert rig.emulator.motion()[0][0] >= rig.spec.actuated[0].lower
        assert np.abs(np.diff(goals)).max() <= rig.spec.safety.approach_velocity * DT * (1 + 1e-9)


INJECTABLE_FAULTS = [
    ("dynamixel", "lost", "joint_2", "has not answered"),
    ("dynamixel", "corrupt", "joint_2", "has not answered"),
    ("dynamixel", "truncated", "joint_2", "has not answered"),
    ("dynamixel", "late", "", "has not answered"),
    ("dynamixel", "dead", "joint_2", "has not answered"),
    ("dynamixel", "hot", "joint_2", "overheating"),
    # what happens to a board's line happens to all of its joints
    ("board", "lost", "", "has not answered"),
    ("board", "corrupt", "", "has not answered"),
    ("board", "truncated", "", "has not answered"),
    ("board", "late", "", "has not answered"),
    ("board", "dead", "", "has not answered"),
    ("board", "hot", "joint_2", "overheating"),
    ("board", "encoder", "joint_2", "its encoder is wrong"),
    ("board", "stop", BOARD, "its emergency stop is pressed"),
    ("board", "weak", BOARD, "its supply is too low"),
    ("board", "reboot", BOARD, "has restarted"),
]


@pytest.mark.parametrize(("kind", "fault", "joint", "words"), INJECTABLE_FAULTS)
def test_a_fault_of_one_joint_stops_all_and_names_joint_cause_and_remedy(kind, fault, joint, words):
    with Rig(kind=kind) as rig:
        rig.arm()
        rig.emulator.inject(fault, joint if joint in rig.spec.actuated_names else "")
        rig.ticks_until(lambda: rig.motion is MotionState.FAULTED, 1.0)
        assert words in rig.report.fault
        if silence := re.search(r"has not answered for (\S+) s", rig.report.fault):
            assert 0.1 <= float(silence[1]) <= 0.13  # patience, and a cycle that waits for answers
        if joint == BOARD:
            assert rig.report.joint == ""
        else:
            assert rig.report.joint == (joint or rig.report.joint) != ""
        assert rig.report.joint in rig.report.fault
        assert rig.report.remedy
        first = rig.report.fault
        rig.pass_time(0.6)  # a board that hears nothing any more does that by itself
        rig.tick()
        assert rig.emulator.torque() == (False, False)
        for _ in range(2):
            assert not rig.tick()
        assert rig.report.fault.startswith(first)  # what follows from it does not hide the cause
        with pytest.raises(BackendFault):
            rig.runner.enable()
        rig.emulator.inject("none")
        rig.tick()
        assert rig.motion is MotionState.FAULTED  # healed, but nobody has said so
        assert rig.emulator.torque() == (False, False)
        rig.runner.reset()
        assert rig.motion is MotionState.DISABLED
        assert rig.tick()
        assert rig.emulator.torque() == (False, False)
        rig.arm()


def test_a_reset_that_cannot_help_says_why_and_the_stop_stays(kind):
    with Rig(kind=kind) as rig:
        rig.arm()
        rig.emulator.inject("hot", "joint_1")
        rig.until_faulted()
        with pytest.raises(BackendFault, match=r"joint_1.*overheating"):
            rig.runner.reset()
        assert rig.motion is MotionState.FAULTED
        with pytest.raises(BackendFault, match="overheating"):
            rig.runner.enable()


def test_a_port_that_vanishes_and_returns_needs_a_reset_and_an_enable(kind):
    with Rig(kind=kind) as rig:
        rig.arm()
        rig.emulator.inject("gone")
        rig.ticks_until(lambda: rig.motion is MotionState.FAULTED, 1.0)
        assert "is gone" in rig.report.fault
        assert "plug the adapter in again" in rig.report.remedy
        rig.pass_time(0.2)
        # a board heard nothing any more; nobody could tell the servos
        assert rig.emulator.torque() == ((False, False) if kind == "board" else (True, True))
        with pytest.raises(BackendFault, match="there is no port"):
            rig.runner.reset()
        rig.emulator.inject("none")
        # that goes out by itself as soon as it can, whoever asks for it meanwhile
        rig.ticks_until(lambda: rig.emulator.torque() == (False, False), 1.0)
        rig.runner.reset()
        assert rig.motion is MotionState.DISABLED
        rig.arm()
        assert rig.emulator.motion()[0] == pytest.approx([HOME, HOME], abs=0.01)


def test_whoever_asks_tries_a_port_that_is_back(no_hurry):
    with ThreadedRig(buses=UNHURRIED) as rig:
        rig.arm()
        rig.emulator.inject("gone")
        wait_for(lambda: not rig.tick() and rig.motion is MotionState.FAULTED)
        (loop,) = rig.backend.loops
        loop.stop()  # as where its thread comes too late each time
        assert rig.emulator.torque() == (True, True)
        rig.emulator.inject("none")
        wait_for(lambda: not rig.tick() and rig.emulator.torque() == (False, False))


def test_a_fault_before_enable_is_found_too(kind):
    with Rig(kind=kind) as rig:
        rig.emulator.inject("dead", "joint_1")
        rig.until_faulted()
        assert rig.report.joint == "joint_1"


def test_answers_that_fail_now_and_then_stop_nobody():
    with Rig() as rig:
        rig.arm()
        rig.emulator.inject("corrupt", "joint_2", every=4)
        for _ in range(40):
            assert rig.tick()
        assert rig.motion is MotionState.ACTIVE
        assert rig.report.fault == ""


def test_a_joint_that_is_held_fast_is_a_fault_and_lets_go(kind):
    with Rig(kind=kind) as rig:
        rig.arm()
        if kind == "board":
            rig.emulator.attach_load("joint_2", FreeRotor(1e9, HOME))
        else:
            rig.emulator.servos[1].write = lambda address, data: 0  # hears, does nothing

        for _ in range(200):
            rig.tick(-0.5)
        assert rig.motion is MotionState.FAULTED
        assert rig.report.joint == "joint_2"
        assert not rig.emulator.torque()[0]


def test_a_driver_that_breaks_takes_the_torque_off_and_says_so(kind):
    with Rig(kind=kind) as rig:
        rig.arm()
        bus = rig.backend.loops[0].bus
        bus.read = lambda: 1 / 0
        rig.until_faulted()
        assert "ZeroDivisionError" in rig.report.fault
        assert "restart" in rig.report.remedy


def test_a_driver_that_cannot_even_release_says_that_the_power_must_go_off():
    with Rig() as rig:
        rig.arm()
        bus = rig.backend.loops[0].bus
        plain, bus.release = bus.release, lambda: 1 / 0
        bus.read = lambda: 1 / 0
        assert not rig.tick()
        assert rig.report.fault.startswith("the driver of the bus 'servos' broke")
        assert "could not be switched off" in rig.report.fault
        assert rig.report.remedy.startswith("switch the power of the motors off")
        plain()


def test_a_driver_that_hangs_hangs_nobody_else(no_hurry, monkeypatch):
    with ThreadedRig(buses=UNHURRIED) as rig:
        rig.arm()
        monkeypatch.setattr(bus_loop, "CYCLE_TIMEOUT_S", 1.0)
        stuck = threading.Event()
        plain, rig.backend.loops[0].bus.read = rig.backend.loops[0].bus.read, stuck.wait
        try:
            wait_for(lambda: not rig.tick())
            assert "hangs" in rig.report.fault
            assert "switch the power of the motors off" in rig.report.remedy
        finally:
            rig.backend.loops[0].bus.read = plain
            stuck.set()


def test_a_driver_thread_that_dies_without_a_word_is_noticed(no_hurry, monkeypatch):
    with ThreadedRig(buses=UNHURRIED) as rig:
        rig.arm()
        monkeypatch.setattr(bus_loop, "CYCLE_TIMEOUT_S", 1.0)
        rig.backend.loops[0].stop()
        wait_for(lambda: not rig.tick())
        assert "hangs" in rig.report.fault
        wait_for(lambda: rig.emulator.torque() == (False, False))


def test_ticks_that_stay_away_take_the_torque_off(kind):
    with Rig(kind=kind) as rig:
        rig.arm()
        rig.pass_time(0.95)
        assert rig.emulator.torque() == (True, True)
        rig.pass_time(0.1)
        assert rig.emulator.torque() == (False, False)
        assert not rig.tick()
        assert "the backend sent no tick" in rig.report.fault


def test_a_thread_without_ticks_takes_the_torque_off(no_hurry, monkeypatch):
    with ThreadedRig(buses=UNHURRIED) as rig:
        rig.arm()
        monkeypatch.setattr(bus_loop, "TICK_TIMEOUT_S", 0.5)
        wait_for(lambda: rig.emulator.torque() == (False, False))
        assert not rig.tick()
        assert "the backend sent no tick" in rig.report.fault


def test_a_robot_that_holds_on_exit_keeps_its_torque_without_ticks():
    with Rig(on_exit="hold") as rig:
        rig.arm()
        packets = rig.emulator.packets
        rig.pass_time(2.0)
        assert rig.emulator.packets > packets + 300
        assert rig.emulator.torque() == (True, True)


@pytest.mark.parametrize(("release", "left"), [(True, (False, False)), (False, (True, True))])
def test_closing_leaves_the_torque_as_it_was_told(release, left):
    rig = Rig()
    with rig:
        rig.arm()
        emulator, emulation = rig.emulator, rig.backend.emulation
        rig.backend.emulation = None  # it outlives the backend, as motors do
        try:
            rig.runner.close(release=release)
            emulation.clocks["servos"].sleep(0.01)  # the last packet is still on its way
            assert emulator.servos[0].get(bus_watchdog()) == 0
            assert emulator.torque() == left
        finally:
            emulation.close()


def bus_watchdog():
    from hw_drivers.dynamixel.tables import WATCHDOG

    return WATCHDOG


def test_two_buses_are_one_robot_and_a_fault_on_one_stops_the_other():
    other = {"kind": "dynamixel", "port": "/dev/ttyUSB1"}
    with Rig(buses={"rear": other}, joints={"joint_2": {"bus": "rear", "id": 1}}) as rig:
        rig.runner.enable()
        rig.tick()
        emulators = rig.backend.emulation.emulators
        assert [emulators[name].torque() for name in ("servos", "rear")] == [(True,), (True,)]
        emulators["rear"].inject("dead")
        rig.ticks_until(lambda: rig.motion is MotionState.FAULTED, 0.3)
        assert emulators["servos"].torque() == (False,)
        assert rig.report.joint == "joint_2"


def test_a_bus_goes_on_while_another_one_is_enabled():
    """Both watchdogs run meanwhile, and the first bus is fed by its own clock."""
    quick = {"kind": "dynamixel", "port": "/dev/ttyUSB1", "watchdog": 0.04}
    with Rig(buses={"servos": {"watchdog": 0.04}, "rear": quick}, joints={"joint_2": {"bus": "rear", "id": 1}}) as rig:
        front, rear = rig.backend.loops
        plain = rear.bus.enable

        def enable_slowly():
            rear.clock.sleep(0.03)
            rear.bus.read()
            rear.clock.sleep(0.03)
            plain()

        rear.bus.enable = enable_slowly
        rig.runner.enable()
        for _ in range(10):
            assert rig.tick()
        assert front.clock.now_ns == rear.clock.now_ns
        assert [rig.emulation.emulators[name].torque() for name in ("servos", "rear")] == [(True,), (True,)]


def test_a_bus_that_hangs_does_not_keep_the_torque_of_another_on(no_hurry):
    other = {"kind": "dynamixel", "port": "/dev/ttyUSB1", "watchdog": 2.5, "reply_timeout": 0.25}
    with ThreadedRig(buses={**UNHURRIED, "rear": other}, joints={"joint_2": {"bus": "rear", "id": 1}}) as rig:
        rig.runner.enable()
        rig.tick()
        emulators = rig.emulation.emulators
        front, rear = rig.backend.loops
        order, plain = [], rear.bus.release
        rear.bus.release = lambda: order.append("rear let go") or plain()
        front.release = hangs(front.release, lambda: order.append("front waited for"))
        with front._io:  # a cycle that does not end, in another thread
            stop = threading.Thread(target=rig.runner.stop)
            stop.start()
            wait_for(lambda: emulators["rear"].torque() == (False,))
        stop.join()
        assert order[0] == "rear let go"


def hangs(release, waits):
    """A release of a bus that says when it is waited for longer than for a cycle."""

    def told(*within):
        if not within:
            waits()
        return release(*within)

    return told


def test_a_driver_that_has_ended_is_not_told_to_be_cleared():
    with Rig() as rig:
        rig.arm()
        rig.backend.loops[0].bus.read = lambda: 1 / 0
        rig.until_faulted()
        with pytest.raises(BackendFault, match="the driver of the bus 'servos' has ended") as refused:
            rig.runner.reset()
        assert refused.value.remedy == "restart the backend"
        assert rig.motion is MotionState.FAULTED


def test_torque_that_was_left_on_is_no_torque_off():
    rig = Rig(on_exit="hold")
    with rig:
        rig.arm()
        emulation, rig.backend.emulation = rig.backend.emulation, None  # the motors outlive the backend
        try:
            rig.runner.close(release=False)
            assert rig.runner.health()["torque_off"] is False
            rig.runner.supervisor.estop()
            fault = rig.runner.stop()
            assert "left on where the buses were closed: servos" in str(fault)
            assert "power" in fault.remedy
        finally:
            emulation.close()


def test_where_the_system_clock_is_set_states_keep_their_time_until_it_is_opened_again(no_hurry, monkeypatch):
    plain, ahead = time.time_ns, 0
    monkeypatch.setattr("hw_drivers.backend.hardware_backend.time.time_ns", lambda: plain() + ahead)
    hour = 3600 * 10**9
    with ThreadedRig(buses=UNHURRIED) as rig:
        rig.arm()
        ahead = hour
        rig.tick()
        assert abs(rig.runner.observation.time_ns - plain()) < hour // 2  # nothing jumps while it moves
        rig.runner.supervisor.disable()
        rig.tick()
        rig.runner.enable()
        rig.tick()
        assert abs(rig.runner.observation.time_ns - plain()) < hour // 2
        rig.runner.close(release=True)
        rig.runner.open()
        assert abs(rig.runner.observation.time_ns - plain() - hour) < hour // 2


def test_the_emulated_motors_move_the_robots_model(kind):
    with Rig(kind=kind) as rig:
        rig.arm()
        seen = []
        for k in range(500):
            q = HOME + math.radians(18.0) * np.sin(4.0 * DT * k + np.radians([10.0, -10.0]))
            assert rig.runner.tick(JointCommand(q, np.full(2, np.nan), np.full(2, np.nan)))
            seen.append(rig.runner.observation)
        assert seen[-1].base.position[0] > 0.02
        assert {contact.foot for contact in seen[-1].contacts} == {"foot_1", "foot_2"}
        weight = sum(contact.force[2] for contact in seen[0].contacts)
        assert weight == pytest.approx(9.81 * (0.194 + 2 * 0.021), rel=0.05)


def test_a_snake_of_seven_joints_takes_its_shape_whatever_its_gears_and_directions():
    with Rig(spec=snake()) as rig:
        rig.runner.enable()
        shape = np.radians([10.0, -20.0, 30.0, 5.0, -15.0, 25.0, -30.0])

        for _ in range(200):
            assert rig.runner.tick(JointCommand(shape, np.zeros(7), np.full(7, np.nan)))
        assert np.abs(rig.runner.observation.position - shape).max() < 2 * TICK
        assert rig.backend.emulation.motion()[0] == pytest.approx(
            dict(zip(rig.spec.actuated_names, shape, strict=True)), abs=3 * TICK
        )
        rig.backend.relax()
        assert not any(rig.backend.emulation.torque().values())


@pytest.mark.parametrize("rig_class", [Rig, ThreadedRig])
def test_no_thread_and_no_port_are_left_behind(rig_class, kind):
    before = set(threading.enumerate())
    rig = rig_class(kind=kind)
    with rig:
        port = rig.emulator.port
    assert set(threading.enumerate()) == before
    with pytest.raises(UserError, match="there is no port"):
        HardwareBackend(rig.spec, HardwareSettings(port=port), DT).open()


def test_a_motor_that_is_slower_than_its_joint_limits_the_setpoints():
    with Rig(joints={"joint_1": {"velocity": 0.5}}) as rig:
        rig.arm()
        rig.backend.apply(JointCommand(np.full(2, HOME), np.zeros(2), np.full(2, np.nan)))
        applied = rig.backend.apply(JointCommand(np.full(2, HOME + 0.05), np.full(2, 5.0), np.full(2, np.nan)))
        assert applied.position == pytest.approx([HOME + 0.5 * DT, HOME + 0.05])


@pytest.mark.parametrize(
    ("backend", "settings", "words"),
    [
        (EmulatedBackend, EmulatedSettings(fail="dead", fail_joint="jiont_2"), "did you mean 'joint_2'"),
        (EmulatedBackend, EmulatedSettings(calibration="/nowhere.yaml"), "cannot be read"),
        (HardwareBackend, HardwareSettings(calibration="/nowhere.yaml"), "cannot be read"),
    ],
)
def test_settings_that_cannot_be_used_are_refused_before_anything_is_opened(backend, settings, words):
    with pytest.raises(UserError, match=words):
        backend(three_link(), settings, DT)
