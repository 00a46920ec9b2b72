"""Which frames a board takes, and what happens when they stay away, come twice, late or damaged."""

import math

import pytest
from firmware_bench import BOOT, MOTOR, TWO, WATCHDOG, Bench, board

from hw_drivers.board.codec import PacketParser, frame, open_packet
from hw_drivers.board.messages import (
    PROTOCOL_VERSION,
    Ack,
    Arm,
    BoardFault,
    BoardState,
    Code,
    ConfigureBoard,
    FindIndex,
    Hello,
    MotorMode,
    MotorSetpoint,
    Poll,
    Reset,
    Setpoints,
    StateMessage,
    Welcome,
)


def test_a_silent_host_loses_the_torque_within_the_watchdog_and_does_not_get_it_back_by_speaking_again():
    with board(*TWO) as bench:
        bench.torque(0.1, 0.1)
        bench.tick(WATCHDOG)
        assert bench.driven == [True, True]
        bench.tick()
        assert bench.volts == [None, None]
        state = bench.torque(0.1, 0.1)
        assert isinstance(state, StateMessage)
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
        assert bench.driven == [True, True]


@pytest.mark.parametrize(
    "message",
    [Poll(), Arm(), FindIndex(0, 1.0, 0.1, 1.0), Setpoints({0: MotorSetpoint(MotorMode.TORQUE, math.nan)})],
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
        (refused,) = bench.raw(frame(Hello(PROTOCOL_VERSION + 1, 9), 0))
        assert isinstance(refused, Ack)
        assert (refused.of, refused.code, refused.detail) == (Hello.type, Code.VERSION, PROTOCOL_VERSION)
        bench.tick()
        assert bench.driven == [True]


def test_a_hello_takes_the_torque_off_and_what_came_before_it_says_nothing_any_more():
    with board(MOTOR) as bench:
        push = bench.frame(Setpoints({0: MotorSetpoint(MotorMode.TORQUE, 0.1)}))
        bench.raw(push)
        bench.tick()
        assert bench.driven == [True]
        old = bench.session
        bench.hello(nonce=1)  # the same nonce: played back, say
        assert bench.session != old
        bench.tick()
        assert bench.volts == [None]
        assert bench.raw(push) == []
        assert bench.code(Arm()) == Code.NOT_CONFIGURED
        assert bench.state().motors == {}
        assert bench.code(ConfigureBoard(WATCHDOG, 1, 6.0, 30.0)) == Code.OK
        assert bench.code(Arm()) == Code.NOT_CONFIGURED  # its motors are forgotten as well
        bench.configure(MOTOR)
        assert bench.code(Arm()) == Code.OK
        assert bench.raw(push) == []
        bench.tick()
        assert bench.volts == [None]


def test_both_sides_count_from_one_in_a_session():
    with board(MOTOR) as bench:
        bench.raw(b"\x07\x07\x00")
        assert bench.state().ignored == 1
        bench.hello(nonce=5)
        bench.firmware.receive(bench.frame(Poll()))
        (packet,) = PacketParser().feed(bench.firmware.send())
        answer = open_packet(packet, bench.session)
        assert answer is not None
        assert answer.number == 1
        state = answer.answer()
        assert isinstance(state, StateMessage)
        assert (state.number, state.ignored) == (1, 0)


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
        first = bench.frame(Setpoints({0: MotorSetpoint(MotorMode.TORQUE, 0.1)}))
        second = bench.frame(Setpoints({0: MotorSetpoint(MotorMode.TORQUE, 0.2)}))
        assert len(bench.raw(second)) == 1
        bench.tick()
        volts = bench.volts
        far = frame(Setpoints({0: MotorSetpoint(MotorMode.TORQUE, -0.3)}), bench.sent + 1001, bench.session)
        for data in (first, second, far):
            assert bench.raw(data) == []
        bench.tick()
        assert bench.volts == volts
        assert bench.state().ignored == 3


def test_no_single_or_double_bit_error_in_a_frame_moves_a_motor():
    with board(*TWO, watchdog=1000) as bench:
        whole = bench.frame(
            Setpoints({0: MotorSetpoint(MotorMode.TORQUE, 0.3), 1: MotorSetpoint(MotorMode.TORQUE, -0.3)})
        )
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
        assert bench.driven == [True, True]


def test_cut_and_glued_frames_are_lost_and_the_next_one_is_taken():
    with board(MOTOR) as bench:
        for cut in range(1, 12):
            whole = bench.frame(Setpoints({0: MotorSetpoint(MotorMode.TORQUE, 0.3)}))
            assert bench.raw(whole[cut:]) == []
            assert bench.raw(whole[: -1 - cut] + b"\0") == []
            assert bench.raw(whole[:-1] + whole) == []
        assert bench.raw(b"\x07" * 5000 + b"\0") == []
        bench.tick()
        assert bench.volts == [None]
        assert isinstance(bench.torque(0.1), StateMessage)
