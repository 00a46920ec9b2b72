"""What a board does by itself: which frames it takes, when it lets go, and what it latches until a reset."""

import math
import struct
from dataclasses import replace

import pytest
from firmware_bench import BOOT, COARSE, MOTOR, WATCHDOG, Bench, board

from hw_drivers.board.codec import frame
from hw_drivers.board.messages import (
    VERSION,
    Ack,
    Arm,
    BoardFault,
    BoardState,
    Code,
    ConfigureBoard,
    Disarm,
    Estop,
    FindIndex,
    Hello,
    Mode,
    MotorFault,
    MotorFlag,
    Poll,
    Reboot,
    Reset,
    Setpoint,
    Setpoints,
    State,
    Status,
    Welcome,
)

TWO = (MOTOR, replace(MOTOR, motor=1))


def driven(bench):
    return [volts is not None and volts != 0.0 for volts in bench.volts]


# the link


def test_a_silent_host_loses_the_torque_within_the_watchdog_and_does_not_get_it_back_by_speaking_again():
    with board(*TWO) as bench:
        bench.torque(0.1, 0.1)
        bench.tick(WATCHDOG)
        assert driven(bench) == [True, True]
        bench.tick()
        assert bench.volts == [None, None]
        state = bench.torque(0.1, 0.1)
        assert isinstance(state, State)
        assert (state.state, state.faults) == (BoardState.FAULT, BoardFault.LINK_LOST)
        bench.tick()
        assert bench.volts == [None, None]
        assert bench.code(Arm()) == Code.FAULT
        assert bench.code(Reset()) == Code.OK
        bench.torque(0.1, 0.1)
        bench.tick()
        assert bench.volts == [None, None]
        assert bench.code(Arm()) == Code.OK
        bench.tick()
        assert bench.volts == [None, None]  # setpoints from before do not count
        bench.torque(0.1, 0.1)
        bench.tick()
        assert driven(bench) == [True, True]


@pytest.mark.parametrize(
    "message", [Poll(), Arm(), FindIndex(0, 1.0, 0.1, 1.0), Setpoints({0: Setpoint(Mode.TORQUE, math.nan)})]
)
def test_nothing_but_accepted_setpoints_feeds_the_watchdog(message):
    with board(MOTOR) as bench:
        bench.torque(0.1)
        for _ in range(WATCHDOG + 1):
            bench.say(message)
            bench.tick()
        assert bench.volts == [None]
        assert bench.state().faults == BoardFault.LINK_LOST


def test_an_armed_board_without_its_first_setpoint_lets_go_too():
    with board(MOTOR) as bench:
        bench.tick(WATCHDOG + 1)
        assert bench.state().faults == BoardFault.LINK_LOST


def test_a_board_without_a_session_says_ten_times_a_second_who_it_is_and_obeys_nothing():
    bench = Bench(3, boot=77)
    said = bench.tick(1000)
    assert len(said) == 10
    assert {(a.boot, a.session, a.nonce, a.motors, a.name.rstrip(b"\0")) for a in said if isinstance(a, Welcome)} == {
        (77, 0, 0, 3, b"bench")
    }
    assert bench.raw(bench.frame(Poll())) == []
    welcome = bench.hello(nonce=5)
    assert welcome.session
    assert welcome.nonce == 5
    assert bench.tick(1000) == []


def test_another_version_is_refused_with_the_boards_own_and_the_session_before_goes_on():
    with board(MOTOR) as bench:
        bench.torque(0.1)
        (refused,) = bench.raw(frame(Hello(VERSION + 1, 9), 0))
        assert isinstance(refused, Ack)
        assert (refused.of, refused.code, refused.detail) == (Hello.type, Code.VERSION, VERSION)
        bench.tick()
        assert driven(bench) == [True]


def test_a_hello_takes_the_torque_off_and_what_came_before_it_says_nothing_any_more():
    with board(MOTOR) as bench:
        push = bench.frame(Setpoints({0: Setpoint(Mode.TORQUE, 0.1)}))
        bench.raw(push)
        bench.tick()
        assert driven(bench) == [True]
        old = bench.session
        bench.hello(nonce=1)  # the same nonce: played back, say
        assert bench.session != old
        bench.tick()
        assert bench.volts == [None]
        assert bench.raw(push) == []
        assert bench.code(Arm()) == Code.NOT_CONFIGURED
        bench.configure(MOTOR)
        assert bench.code(Arm()) == Code.OK
        assert bench.raw(push) == []
        bench.tick()
        assert bench.volts == [None]


def test_frames_from_before_a_restart_of_the_board_are_foreign_to_it():
    with board(MOTOR) as bench:
        frames = [bench.frame(message) for message in (ConfigureBoard(WATCHDOG, 1, 6.0, 30.0), MOTOR, Arm())]
    again = Bench(1, boot=BOOT + 1)
    again.hello()
    for data in frames:
        assert again.raw(data) == []
    assert again.state().state == BoardState.UNCONFIGURED
    again.close()


def test_doubled_late_and_far_numbers_are_counted_and_change_nothing():
    with board(MOTOR) as bench:
        first = bench.frame(Setpoints({0: Setpoint(Mode.TORQUE, 0.1)}))
        second = bench.frame(Setpoints({0: Setpoint(Mode.TORQUE, 0.2)}))
        assert len(bench.raw(second)) == 1
        bench.tick()
        volts = bench.volts
        far = frame(Setpoints({0: Setpoint(Mode.TORQUE, -0.3)}), bench.sent + 1001, bench.session)
        for data in (first, second, far):
            assert bench.raw(data) == []
        bench.tick()
        assert bench.volts == volts
        assert bench.state().ignored == 3


def test_no_single_or_double_bit_error_in_a_frame_moves_a_motor():
    with board(*TWO, watchdog=1000) as bench:
        whole = bench.frame(Setpoints({0: Setpoint(Mode.TORQUE, 0.3), 1: Setpoint(Mode.TORQUE, -0.3)}))
        bits = 8 * len(whole)
        flips = [1 << i for i in range(bits)] + [
            1 << i | 1 << (i * 7 + j) % bits for i in range(bits) for j in (1, 3, 9)
        ]
        number = int.from_bytes(whole, "little")
        for flip in flips:
            if flip.bit_count() and flip < 1 << (bits - 8):  # of the 0 that ends it: it then has not ended yet
                assert bench.raw((number ^ flip).to_bytes(len(whole), "little") + b"\0") == []
        bench.tick()
        assert bench.volts == [None, None]
        assert len(bench.raw(whole)) == 1
        bench.tick()
        assert driven(bench) == [True, True]


def test_cut_and_glued_frames_are_lost_and_the_next_one_is_taken():
    with board(MOTOR) as bench:
        for cut in range(1, 12):
            whole = bench.frame(Setpoints({0: Setpoint(Mode.TORQUE, 0.3)}))
            assert bench.raw(whole[cut:]) == []
            assert bench.raw(whole[: -1 - cut] + b"\0") == []
            assert bench.raw(whole[:-1] + whole) == []
        assert bench.raw(b"\x07" * 5000 + b"\0") == []
        bench.tick()
        assert bench.volts == [None]
        assert isinstance(bench.torque(0.1), State)


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
        assert bench.code(Reboot()) == Code.OK
        assert bench.firmware.wants_reboot


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
                assert driven(bench) == [True, True], tick
        assert bench.volts == [None, None]
        state = bench.state()
        assert state.state == BoardState.FAULT
        assert (state.faults, state.motors[0].faults, state.motors[1].faults) == (
            (fault, 0, 0) if isinstance(fault, BoardFault) else (0, fault, 0)
        )
        assert bench.code(Reset()) == (Code.CAUSE if stays else Code.OK)


def test_a_loop_that_stood_still_is_a_fault_while_armed_and_none_else():
    with board(MOTOR, watchdog=1000) as bench:
        bench.torque(0.1)
        bench.tick(us=5001)
        assert bench.volts == [None]
        assert bench.state().faults == BoardFault.LATE
        assert bench.code(Reset()) == Code.OK
        bench.tick(us=50_000)
        assert bench.state().faults == 0


def test_a_motor_that_pushes_and_does_not_turn_is_a_fault_after_its_time():
    with board(replace(MOTOR, stall=50), watchdog=1000) as bench:
        bench.torque(MOTOR.torque)
        bench.tick(50)
        assert driven(bench) == [True]
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
    yield replace(MOTOR, gear=0.0), Code.VALUE, 13
    for offset, name in enumerate(("torque_constant", "resistance", "current", "torque", "velocity")):
        for bad in (0.0, -1.0, math.nan, math.inf):
            yield replace(MOTOR, **{name: bad}), Code.VALUE, 17 + 4 * offset
    yield replace(MOTOR, stiffness=-1.0), Code.VALUE, 37
    yield replace(MOTOR, damping=math.nan), Code.VALUE, 41
    yield replace(MOTOR, flags=int(MotorFlag.LIMITED)), Code.VALUE, 53
    yield FindIndex(0, 0.0, 0.1, 1.0), Code.VALUE, 6
    yield FindIndex(0, 1.0, 0.0, 1.0), Code.VALUE, 10
    yield FindIndex(0, 1.0, 0.1, 101.0), Code.VALUE, 14
    yield FindIndex(0, 1.0, 0.1, 1.0), Code.NOT_ARMED, 0
    yield Setpoints({1: Setpoint(Mode.OFF)}), Code.MOTOR, 1
    yield Setpoints({0: Setpoint(Mode.TORQUE, math.inf)}), Code.VALUE, 8
    yield Setpoints({0: Setpoint(Mode.VELOCITY, velocity=math.nan)}), Code.VALUE, 8
    yield Setpoints({0: Setpoint(Mode.POSITION, torque=math.nan)}), Code.VALUE, 16


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
        for kind, right in ((0x02, 12), (0x03, 55), (0x04, 0), (0x05, 0), (0x06, 0), (0x08, 13), (0x09, 0), (0x11, 0)):
            for length in {right + 1, right + 200, max(right - 1, 1)}:
                answer = bench.say(Raw(kind, bytes(length)))
                assert isinstance(answer, Ack)
                assert (answer.code, answer.detail) == (Code.LENGTH, right)
        good = struct.pack("<HBf", 1, Mode.TORQUE, 0.1)
        for data in (good[:1], good[:2], good[:-1], good + b"\0"):
            assert bench.code(Raw(0x10, data)) == Code.LENGTH
        for kind in (0x00, 0x0A, 0x12, 0x7F):
            assert bench.code(Raw(kind, b"")) == Code.UNKNOWN
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
        assert bench.code(Setpoints({0: Setpoint(Mode.POSITION)})) == Code.NOT_HOMED
        assert isinstance(bench.torque(0.1), State)


def test_motors_that_setpoints_leave_out_are_let_go():
    with board(*TWO) as bench:
        bench.torque(0.1, 0.1)
        bench.tick()
        bench.say(Setpoints({1: Setpoint(Mode.TORQUE, 0.1)}))
        bench.tick()
        assert bench.volts[0] is None
        assert driven(bench) == [False, True]
        assert not bench.state().motors[0].status & Status.CLOSED
