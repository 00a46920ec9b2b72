"""Whatever goes wrong with a board in a run is one fault with its remedy, and needs a reset and an enable."""

import math
import threading

import numpy as np
import pytest
from board_bench import SETTINGS, TICK, Bench, crank
from hw_robots import wait_for

from hw_drivers.board.codec import frame
from hw_drivers.board.emulator import MAX_STEP_S, BoardEmulator
from hw_drivers.board.messages import PROTOCOL_VERSION, Hello
from hw_drivers.bus.bus import BusFault
from hw_drivers.emulation.emulator import INJECTABLE_FAULTS
from hw_drivers.ports.emulated_serial_port import EmulatedSerialPort

PAIR = (crank("left", 1), crank("right", 2, temperature_limit=80.0, stall_time=0.1))


def ready():
    """A bench whose motors hold."""
    bench = Bench(PAIR).ready()
    bench.hold(0.1)
    assert bench.fault is None
    assert bench.board.torque() == (True, True)
    return bench


def rearm(bench):
    """As after a reset and an enable."""
    bench.bus.clear()
    bench.sleep(0.002)
    assert bench.board.torque() == (False, False)
    bench.fault = None
    bench.liveness.reset()
    bench.hold_still()
    bench.bus.enable()
    bench.hold(0.1)
    assert bench.fault is None
    assert bench.board.torque() == (True, True)


def hot(bench):
    bench.board.motors[1].temperature = 81.0


def encoder(bench):
    bench.board.motors[1].is_broken = True


def pressed(bench):
    bench.board.is_stop_pressed = True


def weak(bench):
    bench.board.supply = 5.0


def strong(bench):
    bench.board.supply = 15.0


def restarted(bench):
    bench.board.restart()


def heal(bench):
    for motor in bench.board.motors:
        motor.temperature, motor.is_broken = 30.0, False
    bench.board.is_stop_pressed, bench.board.supply = False, 12.0
    bench.board.find_indices()


@pytest.mark.parametrize(
    ("happens", "within", "joint", "said"),
    [
        (hot, 0.010, "right", "the motor of right reports: overheating"),
        (encoder, 0.001, "right", "the motor of right reports: its encoder is wrong or has lost counts"),
        (pressed, 0.001, "", "the board reports: its emergency stop is pressed"),
        (weak, 0.020, "", "the board reports: its supply is too low"),
        (strong, 0.002, "", "the board reports: its supply is too high"),
        (restarted, 0.001, "", "the board on the line has restarted"),
    ],
)
def test_a_fault_takes_the_torque_off_on_the_board_and_is_told_in_the_next_cycle(happens, within, joint, said):
    bench = ready()
    happens(bench)
    bench.sleep(within + 0.001)  # what it takes, and the rest of the tick in which it happened
    assert bench.board.torque() == (False, False)  # by itself: nobody has spoken to it
    if happens is restarted:
        bench.sleep(0.1)  # it says who it is ten times a second
    bench.tick(0.5)
    assert bench.fault is not None
    assert (bench.fault.joint, str(bench.fault)) == (joint, said)
    assert bench.fault.remedy.endswith(", then call reset and enable")
    bench.bus.release()
    if happens is not restarted:
        with pytest.raises(BusFault, match=said.partition(": ")[2] or said):
            bench.bus.enable()
    heal(bench)
    bench.sleep(0.1)
    assert bench.board.torque() == (False, False)  # healed, but nobody has said so
    rearm(bench)


def test_a_restart_that_forgets_the_zeros_needs_more_than_a_reset():
    bench = ready()
    bench.board.restart()
    bench.sleep(0.2)
    bench.tick(0.5)
    assert "has restarted" in str(bench.fault)
    with pytest.raises(BusFault, match="has not found the index of left"):
        bench.bus.clear()


def test_another_program_that_speaks_to_the_board_ends_the_run():
    bench = ready()
    bench.board.receive(frame(Hello(PROTOCOL_VERSION, 77), 0))
    bench.sleep(0.002)
    assert bench.board.torque() == (False, False)
    for _ in range(100):
        bench.tick(0.5)
    assert str(bench.fault) == "another program has used the board on the line"
    assert bench.fault.remedy == "end it, then call reset and enable"
    rearm(bench)


@pytest.mark.parametrize("silent", ["to_board", "to_driver"])
def test_silence_in_either_direction_is_a_fault_and_the_torque_goes_off_on_both_ends(silent):
    bench = ready()
    began = bench.now
    setattr(bench.line, silent, lambda data: b"")
    while bench.fault is None:
        bench.tick(0.5)
        assert bench.now < began + 1.0
    assert bench.now - began == pytest.approx(0.1, abs=0.04)  # the patience of this bench, and three cycles
    assert "has not answered" in str(bench.fault)
    failed = bench.bus.release()
    assert {fault.joint for fault in failed} == {"left", "right"}
    assert f"{SETTINGS.watchdog:g} s after the last setpoint" in str(failed[0])
    assert failed[0].remedy == "switch the power of the motors off"
    bench.sleep(SETTINGS.watchdog + 0.002)
    assert bench.board.torque() == (False, False)
    setattr(bench.line, silent, lambda data: data)
    rearm(bench)


def test_a_watchdog_that_bit_in_a_gap_is_told():
    bench = ready()
    bench.sleep(SETTINGS.watchdog + 0.01)
    bench.tick(0.5)
    assert "it got no setpoints for its watchdog's time and took the torque off" in str(bench.fault)
    rearm(bench)


def test_short_gaps_are_no_fault():
    bench = ready()
    for _ in range(5):
        bench.line.to_driver = lambda data: b""
        bench.hold(0.02)
        bench.line.to_driver = lambda data: data
        bench.hold(0.2)
    assert bench.fault is None
    assert bench.liveness.missed > 0


def test_torque_that_goes_off_by_itself_is_told():
    bench = ready()
    link = bench.bus._link
    bench.board.receive(frame(_Raw(0x05), link._last_sent + 1, link._session))  # type: ignore[arg-type]  # a DISARM that the driver did not say
    bench.board.send()
    link._last_sent += 1
    bench.tick(0.5)
    assert "the torque of the board on the line went off by itself" in str(bench.fault)


class _Raw:
    def __init__(self, kind, fields=b""):
        self.type, self.fields = kind, fields

    def pack(self):
        return self.fields


def test_setpoints_that_the_board_refuses_are_a_fault_that_says_why():
    bench = ready()
    bench.bus.write(np.array([0.5, 0.5]), np.zeros(2), np.array([math.inf, math.nan]))
    with pytest.raises(BusFault, match="refuses the setpoints: the field at byte 16 is out of its range"):
        bench.bus.read()


def test_a_crank_that_is_held_fast_is_stalled_after_its_time():
    bench = ready()

    class Stuck:
        damping = 0.0

        def push(self, effort, seconds):
            return 0.5, 0.0

    bench.board.motors[1].load = Stuck()
    began = bench.now
    while bench.fault is None:
        bench.tick([0.5, 3.5])
        assert bench.now < began + 1.0
    assert str(bench.fault) == "the motor of right reports: it is stalled"
    assert bench.now - began == pytest.approx(0.1, abs=0.02)


def test_torque_off_that_the_board_does_not_confirm_goes_out_as_an_emergency_stop_too():
    bench = ready()
    link = bench.bus._link
    bench.line.to_board = lambda data: data if data[1:2] != b"\x05" and data[2:3] != b"\x05" else b""  # loses DISARM
    assert bench.bus.release() == ()
    bench.sleep(0.002)
    assert bench.board.torque() == (False, False)
    bench.line.to_board = lambda data: data
    assert link.welcome is not None
    with pytest.raises(BusFault, match="its emergency stop was called"):
        bench.bus.enable()
    rearm(bench)


def test_release_works_before_anything_was_set_up():
    bench = Bench()
    assert bench.bus.release() == ()


def test_an_arming_that_is_not_answered_leaves_all_without_torque():
    bench = Bench(PAIR).ready(enable=False)
    bench.line.to_driver = lambda data: b""
    with pytest.raises(BusFault, match="the board on the line does not answer"):
        bench.bus.enable()
    bench.sleep(SETTINGS.watchdog + 0.01)
    assert bench.board.torque() == (False, False)


def test_the_board_lets_go_of_efforts_that_end():
    bench = Bench([crank(is_effort_driven=True)]).ready()
    bench.tick(effort=0.3)
    bench.tick(effort=math.nan)
    bench.sleep(TICK)
    assert bench.bus._setpoints.motors[0].torque == 0.0
    assert bench.board.motors[0].current == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize("fault", BoardEmulator.faults)
def test_every_fault_of_an_emulated_board_begins_and_heals(fault):
    bench = Bench(PAIR)
    emulator = BoardEmulator(bench.board)
    try:
        for _ in range(2):
            emulator.inject(fault)
            emulator.inject("none")
        assert not bench.board.is_stop_pressed
        assert bench.board.supply == 12.0
        assert all(motor.temperature == 30.0 and not motor.is_broken for motor in bench.board.motors)
        assert set(INJECTABLE_FAULTS) <= set(BoardEmulator.faults)
    finally:
        emulator.close()


def test_on_an_emulated_board_no_time_passes_while_the_kernel_has_not_carried_the_bytes_to_it(monkeypatch):
    """A busy machine may take longer for that than the watchdog waits, and no host has fallen silent then."""
    held_up = threading.Event()
    held_up.set()
    late = EmulatedSerialPort.is_behind
    looks = []

    def until_they_are_carried(port):
        looks.append(held_up.is_set())
        return held_up.is_set() or late(port)

    monkeypatch.setattr(EmulatedSerialPort, "is_behind", until_they_are_carried)
    bench = ready()
    emulator = BoardEmulator(bench.board, clock=bench.clock)
    try:
        for _ in range(4 * round(SETTINGS.watchdog / MAX_STEP_S)):
            bench.now += MAX_STEP_S
            seen = len(looks)
            wait_for(lambda seen=seen: len(looks) > seen + 1)
        assert emulator.torque() == (True, True)
        held_up.clear()

        def bitten():
            bench.now += MAX_STEP_S
            return emulator.torque() == (False, False)

        wait_for(bitten)
    finally:
        emulator.close()
