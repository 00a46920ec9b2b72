"""What makes a board let go of its motors and latch it until a reset, and what it refuses."""

import math
import struct
from dataclasses import replace

import pytest
from firmware_bench import COARSE, MOTOR, TWO, WATCHDOG, Bench, board

from hw_drivers.board.codec import frame
from hw_drivers.board.messages import (
    Ack,
    Arm,
    BoardFault,
    BoardState,
    Code,
    ConfigureBoard,
    Disarm,
    Estop,
    FindIndex,
    MotorFault,
    MotorFlag,
    MotorMode,
    MotorSetpoint,
    MotorStatus,
    Reboot,
    Reset,
    Setpoints,
    StateMessage,
)

# stopping


@pytest.mark.parametrize("of", ["session", "nobody", "an old number"])
def test_an_emergency_stop_is_obeyed_whoever_says_it_and_latches(of):
    with board(*TWO) as bench:
        bench.torque(0.1, 0.1)
        bench.tick()
        session, number = (0, 0) if of == "nobody" else (bench.session, 1 if of == "an old number" else bench.sent + 1)
        (answer,) = bench.raw(frame(Estop(), number, session))
        assert isinstance(answer, Ack)
        assert answer.code == Code.OK
        bench.sent += of == "session"
        bench.tick()
        assert bench.volts == [None, None]
        assert bench.state().faults == BoardFault.ESTOP
        assert bench.code(Arm()) == Code.FAULT
        assert bench.code(Reset()) == Code.OK
        assert bench.code(Arm()) == Code.OK


def test_the_stop_input_holds_as_long_as_it_is_pressed():
    with board(MOTOR) as bench:
        bench.torque(0.1)
        bench.stop = True
        bench.tick()
        assert bench.volts == [None]
        assert bench.code(Reset()) == Code.CAUSE
        bench.stop = False
        bench.tick()
        assert bench.code(Arm()) == Code.FAULT  # letting it go is no reset
        assert bench.code(Reset()) == Code.OK
        assert bench.code(Arm()) == Code.OK


def test_disarming_takes_the_torque_off_without_a_fault_and_a_reboot_is_asked_for():
    with board(MOTOR) as bench:
        bench.torque(0.1)
        bench.tick()
        assert bench.code(Disarm()) == Code.OK
        bench.tick()
        assert bench.volts == [None]
        assert bench.state().state == BoardState.IDLE
        assert not bench.firmware.wants_reboot
        assert bench.code(Arm()) == Code.OK
        bench.torque(0.1)
        bench.tick()
        assert bench.driven == [True]
        assert bench.code(Reboot()) == Code.OK
        assert bench.firmware.wants_reboot
        bench.tick()
        assert bench.volts == [None]


def test_a_reset_takes_the_torque_off_even_without_a_fault():
    with board(MOTOR) as bench:
        bench.torque(0.1)
        bench.tick()
        assert bench.code(Reset()) == Code.OK
        bench.tick()
        assert bench.volts == [None]
        assert bench.state().state == BoardState.IDLE


def test_the_light_is_dark_without_a_host_blinks_when_well_is_lit_with_torque_and_flickers_with_a_fault():
    def changes(ticks=1000):
        """How often it changes in so many ms, and whether it is on at the end."""
        seen = []
        for _ in range(ticks):
            if bench.firmware.led != (seen[-1] if seen else None):
                seen.append(bench.firmware.led)
            bench.tick()
        return len(seen) - 1, bench.firmware.led

    bench = Bench()
    assert changes() == (0, False)
    bench.hello()
    bench.configure(MOTOR, watchdog=1000)
    assert changes()[0] in (1, 2)
    assert bench.code(Arm()) == Code.OK
    assert changes(900) == (0, True)
    bench.tick(200)
    assert bench.state().faults == BoardFault.LINK_LOST
    assert changes()[0] in (15, 16)
    bench.close()


# faults


def hot(bench):
    bench.firmware.sensors[0].temperature = MOTOR.hottest + 1


def too_much_current(bench):
    bench.firmware.sensors[0].current = -1.6 * MOTOR.current


def encoder_unwell(bench):
    bench.firmware.sensors[0].encoder_ok = 0


def too_fast(bench):
    bench.firmware.sensors[0].count += round(1.6 * MOTOR.velocity / (2.0 * math.pi) * MOTOR.counts * MOTOR.gear * 1e-3)


def low_supply(bench):
    bench.supply = 5.9


def high_supply(bench):
    bench.supply = 30.1


@pytest.mark.parametrize(
    ("happens", "fault", "within", "stays"),
    [
        (hot, MotorFault.HOT, 10, True),
        (too_much_current, MotorFault.OVER_CURRENT, 3, False),
        (encoder_unwell, MotorFault.ENCODER, 1, True),
        (too_fast, MotorFault.OVER_SPEED, 12, False),  # with the time that a velocity takes to be known
        (low_supply, BoardFault.UNDER_VOLTAGE, 20, False),
        (high_supply, BoardFault.OVER_VOLTAGE, 2, True),
    ],
)
def test_a_fault_of_one_motor_or_the_board_takes_all_torque_off_in_its_time_and_latches(happens, fault, within, stays):
    with board(*TWO, watchdog=1000) as bench:
        bench.torque(0.1, 0.1)
        bench.tick()
        for tick in range(1, within + 1):
            happens(bench)
            bench.tick()
            if tick < within and fault is not MotorFault.OVER_SPEED:
                assert bench.driven == [True, True], tick
        assert bench.volts == [None, None]
        state = bench.state()
        assert state.state == BoardState.FAULT
        assert (state.faults, state.motors[0].faults, state.motors[1].faults) == (
            (fault, 0, 0) if isinstance(fault, BoardFault) else (0, fault, 0)
        )
        assert bench.code(Reset()) == (Code.CAUSE if stays else Code.OK)


def test_a_motor_of_any_temperature_is_never_too_hot():
    with board(replace(MOTOR, hottest=127), watchdog=1000) as bench:
        bench.firmware.sensors[0].temperature = 140.0
        bench.tick(20)
        assert bench.state().state == BoardState.ARMED


def test_a_supply_that_is_low_is_a_fault_only_where_there_is_torque_to_lose():
    bench = Bench()
    bench.hello()
    bench.configure(MOTOR, watchdog=1000)
    bench.supply = 5.996
    bench.tick(100)
    state = bench.state()
    assert (state.state, state.faults, state.supply) == (BoardState.IDLE, 0, 600)  # of 10 mV, rounded
    assert bench.code(Arm()) == Code.OK
    bench.tick(19)
    assert bench.state().state == BoardState.ARMED
    bench.tick()
    assert bench.state().faults == BoardFault.UNDER_VOLTAGE
    bench.close()


def test_a_loop_that_stood_still_is_a_fault_while_armed_and_none_else():
    with board(MOTOR, watchdog=1000) as bench:
        bench.torque(0.1)
        bench.tick(us=5001)
        assert bench.volts == [None]
        assert bench.state().faults == BoardFault.LATE
        assert bench.code(Reset()) == Code.OK
        bench.tick(us=50_000)
        assert bench.state().faults == 0


def test_less_than_half_more_current_or_speed_than_allowed_is_no_fault():
    with board(MOTOR, watchdog=1000) as bench:
        bench.torque(0.1)
        per_tick = 1.45 * MOTOR.velocity / (2.0 * math.pi) * MOTOR.counts * MOTOR.gear * 1e-3
        for tick in range(1, 101):
            bench.firmware.sensors[0].count = round(tick * per_tick)
            bench.firmware.sensors[0].current = 1.45 * MOTOR.current
            bench.tick()
        assert bench.state().motors[0].velocity == pytest.approx(1.45 * MOTOR.velocity, rel=0.01)
        assert bench.state().state == BoardState.ARMED


def test_a_motor_that_holds_with_less_than_its_most_current_is_not_stalled():
    with board(replace(MOTOR, stall=50), watchdog=1000) as bench:
        bench.torque(0.85 * MOTOR.torque)
        bench.tick(200)
        assert bench.state().state == BoardState.ARMED
        bench.torque(0.95 * MOTOR.torque)
        bench.tick(51)
        assert bench.state().motors[0].faults == MotorFault.STALLED


def test_a_motor_that_turns_slowly_with_all_its_current_is_not_stalled():
    with board(replace(MOTOR, stall=50), watchdog=1000) as bench:
        bench.torque(MOTOR.torque)
        for tick in range(200):
            bench.firmware.sensors[0].count = tick // 40  # a count in 40 ms
            bench.tick()
        assert bench.state().state == BoardState.ARMED


def test_a_motor_that_pushes_and_does_not_turn_is_a_fault_after_its_time():
    with board(replace(MOTOR, stall=50), watchdog=1000) as bench:
        bench.torque(MOTOR.torque)
        bench.tick(50)
        assert bench.driven == [True]
        bench.tick()
        assert bench.volts == [None]
        assert bench.state().motors[0].faults == MotorFault.STALLED


@pytest.mark.parametrize(("jump", "well"), [(4, True), (-4, True), (5, False), (-5, False), (18 - 2, True)])
def test_an_absolute_encoder_that_jumps_by_more_than_a_quarter_of_a_turn_is_not_believed(jump, well):
    with board(COARSE, watchdog=1000) as bench:
        bench.torque(0.1)
        bench.firmware.sensors[0].count = jump % 18
        bench.tick(2)
        assert (bench.volts != [None]) == well
        assert bench.state().motors[0].faults == (0 if well else MotorFault.ENCODER)


def test_an_absolute_encoder_of_three_counts_may_go_on_by_one():
    with board(replace(COARSE, counts=3), watchdog=1000) as bench:
        for tick in range(1, 300):  # a turn in 120 ms
            bench.firmware.sensors[0].count = tick // 40 % 3
            bench.tick()
        assert bench.state().state == BoardState.ARMED


def test_an_absolute_count_that_it_does_not_have_is_a_fault_that_stays_while_it_is_told():
    with board(COARSE, watchdog=1000) as bench:
        bench.firmware.sensors[0].count = 18
        bench.tick()
        assert bench.code(Reset()) == Code.CAUSE
        bench.firmware.sensors[0].count = 0
        bench.tick()
        assert bench.code(Reset()) == Code.OK


# what is refused


def refusals():
    board_fields = ConfigureBoard(WATCHDOG, 1, 6.0, 30.0)
    yield replace(board_fields, watchdog=4), Code.VALUE, 5
    yield replace(board_fields, watchdog=1001), Code.VALUE, 5
    yield replace(board_fields, used=0), Code.VALUE, 7
    yield replace(board_fields, used=0b10), Code.MOTOR, 1
    yield replace(board_fields, lowest=math.nan), Code.VALUE, 9
    yield replace(board_fields, highest=6.0), Code.VALUE, 13
    yield replace(MOTOR, motor=1), Code.MOTOR, 1
    yield replace(MOTOR, encoder=2), Code.VALUE, 6
    yield replace(MOTOR, flags=0x20), Code.VALUE, 7
    yield replace(COARSE, flags=0), Code.VALUE, 7  # an absolute encoder on the motor
    yield replace(MOTOR, counts=1), Code.VALUE, 9
    yield replace(MOTOR, counts=2**24 + 1), Code.VALUE, 9
    for gear in (0.0, 9e-4, 1.1e4):
        yield replace(MOTOR, gear=gear), Code.VALUE, 13
    yield replace(MOTOR, torque=1.1e6), Code.VALUE, 29
    for offset, name in enumerate(("torque_constant", "resistance", "current", "torque", "velocity")):
        for bad in (0.0, -1.0, math.nan, math.inf):
            yield replace(MOTOR, **{name: bad}), Code.VALUE, 17 + 4 * offset
    yield replace(MOTOR, stiffness=-1.0), Code.VALUE, 37
    yield replace(MOTOR, damping=math.nan), Code.VALUE, 41
    yield replace(MOTOR, flags=int(MotorFlag.LIMITED)), Code.VALUE, 53
    yield FindIndex(0, 0.0, 0.1, 1.0), Code.VALUE, 6
    yield FindIndex(0, 1.0, 0.0, 1.0), Code.VALUE, 10
    yield FindIndex(0, 1.0, 0.1, 101.0), Code.VALUE, 14
    yield FindIndex(1, 1.0, 0.1, 1.0), Code.MOTOR, 1
    yield FindIndex(0, 1.0, 0.1, 1.0), Code.NOT_ARMED, 0
    yield Setpoints({1: MotorSetpoint(MotorMode.OFF)}), Code.MOTOR, 1
    yield Setpoints({0: MotorSetpoint(MotorMode.TORQUE, math.inf)}), Code.VALUE, 8
    yield Setpoints({0: MotorSetpoint(MotorMode.VELOCITY, velocity=math.nan)}), Code.VALUE, 8
    yield Setpoints({0: MotorSetpoint(MotorMode.POSITION, torque=math.nan)}), Code.VALUE, 16


@pytest.mark.parametrize(("message", "code", "detail"), list(refusals()))
def test_a_field_out_of_range_is_refused_and_named_by_its_offset(message, code, detail):
    bench = Bench()
    bench.hello()
    bench.configure(MOTOR)
    before = bench.state()
    answer = bench.say(message)
    assert isinstance(answer, Ack)
    assert (answer.code, answer.detail) == (code, detail)
    after = bench.state()
    assert (after.state, after.ignored) == (before.state, before.ignored + 1)
    bench.close()


@pytest.mark.parametrize("message", [ConfigureBoard(WATCHDOG, 1, 6.0, 30.0), MOTOR])
def test_nothing_is_configured_while_the_torque_is_on(message):
    with board(MOTOR) as bench:
        assert bench.code(message) == Code.ARMED


def test_every_wrong_length_is_refused_and_an_unknown_message_too():
    class Raw:
        def __init__(self, kind, data):
            self.type, self.data = kind, data

        def pack(self):
            return self.data

    with board(MOTOR) as bench:
        for kind, right in (
            (0x02, 12),
            (0x03, 55),
            (0x04, 0),
            (0x05, 0),
            (0x06, 0),
            (0x08, 13),
            (0x09, 0),
            (0x0A, 7),
            (0x11, 0),
        ):
            for length in {right + 1, right + 200, max(right - 1, 1)}:
                answer = bench.say(Raw(kind, bytes(length)))
                assert isinstance(answer, Ack)
                assert (answer.code, answer.detail) == (Code.LENGTH, right)
        good = struct.pack("<HBf", 1, MotorMode.TORQUE, 0.1)
        for data in (good[:1], good[:2], good[:-1], good + b"\0"):
            assert bench.code(Raw(0x10, data)) == Code.LENGTH
        for kind in (0x00, 0x0B, 0x12, 0x7F):
            assert bench.code(Raw(kind, b"")) == Code.UNKNOWN
        assert bench.code(Raw(0x12, b"\x07" * 260)) == Code.UNKNOWN  # more than COBS has in a piece
        for kind in (0x81, 0x84, 0xFF):  # a line that echoes
            assert bench.raw(bench.frame(Raw(kind, b""))) == []
        bench.tick()
        assert bench.volts == [None]


def test_arming_needs_the_board_and_every_motor_that_is_used():
    bench = Bench(3)
    bench.hello()
    bench.tick()
    answer = bench.say(Arm())
    assert isinstance(answer, Ack)
    assert (answer.code, answer.detail) == (Code.NOT_CONFIGURED, 255)
    assert bench.code(ConfigureBoard(WATCHDOG, 0b101, 6.0, 30.0)) == Code.OK
    assert bench.code(MOTOR) == Code.OK
    answer = bench.say(Arm())
    assert isinstance(answer, Ack)
    assert (answer.code, answer.detail) == (Code.NOT_CONFIGURED, 2)
    assert bench.code(replace(MOTOR, motor=2)) == Code.OK
    assert bench.code(Arm()) == Code.OK
    bench.close()


def test_a_motor_that_does_not_know_where_it_is_takes_no_position_within_limits():
    limited = replace(MOTOR, flags=int(MotorFlag.LIMITED), lower=-1000, upper=1000)
    with board(limited) as bench:
        assert bench.code(Setpoints({0: MotorSetpoint(MotorMode.POSITION)})) == Code.NOT_HOMED
        assert isinstance(bench.torque(0.1), StateMessage)


def test_motors_that_setpoints_leave_out_are_let_go():
    with board(*TWO) as bench:
        bench.torque(0.1, 0.1)
        bench.tick()
        bench.say(Setpoints({1: MotorSetpoint(MotorMode.TORQUE, 0.1)}))
        bench.tick()
        assert bench.volts[0] is None
        assert bench.driven == [False, True]
        assert not bench.state().motors[0].status & MotorStatus.CLOSED
