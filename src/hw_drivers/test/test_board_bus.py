"""The driver on emulated boards: setting up, moving, zeros, holding and letting go, in a time of the test's own."""

import math
from dataclasses import replace

import numpy as np
import pytest
from board_bench import OWN, SETTINGS, TICK, Bench, crank
from hw_robots import three_link_on_a_board

from crawler_core.errors import UserError
from hw_drivers.backend.hardware_map import hardware_map
from hw_drivers.board.board_bus import BoardBus
from hw_drivers.board.emulated_motor import FreeRotor
from hw_drivers.board.messages import MotorFlag, Welcome
from hw_drivers.board.plan import plan_motor
from hw_drivers.bus.bus import BusFault, Source

COUNT = 2.0 * math.pi / (OWN.counts * 8)  # rad of the joint


def test_scan_shows_every_motor_with_the_boards_name_and_firmware():
    bench = Bench([crank("a", 0), crank("b", 5)])
    found = bench.bus.scan()
    assert [device.id for device in found] == [0, 1, 2, 3, 4, 5]
    assert {device.model for device in found} == {"emulated"}
    assert {device.detail for device in found} == {"firmware 2.0.0, protocol 2"}


def test_setting_up_moves_nothing_and_takes_the_torque_off():
    bench = Bench().ready()
    bench.hold(0.1)
    assert bench.board.torque() == (True,)
    bench.ready(enable=False)
    assert bench.board.torque() == (False,)
    (reading,) = bench.bus.read()
    assert reading.position == pytest.approx(0.5, abs=2.0 * COUNT)
    assert reading.source is Source.MEASURED
    assert (reading.temperature, reading.voltage) == (30.0, 12.0)


@pytest.mark.parametrize(
    ("changes", "lag"),
    [
        ({}, 0.0),
        ({"reverse_motor": True}, 0.0),
        ({"reverse_encoder": True}, 0.0),
        # (gear * torque_constant)² / resistance, 0.051 N·m·s/rad, brake the motor against the spring of 2 N·m/rad
        ({"regulated": False}, 0.051 * 1.5 / 2.0),
        ({"direction": 1, "zero": -2.0}, 0.0),
        ({"encoder": "absolute", "on_output": True, "counts": 4096}, 0.0),
    ],
)
def test_a_joint_follows_a_sine_however_it_is_mounted(changes, lag):
    bench = Bench([crank(**changes)]).ready()
    start, worst = bench.readings[0].position, 0.0
    for k in range(1, 1001):
        t = k * TICK
        wanted = start + 0.5 * (1.0 - math.cos(3.0 * t))
        (reading,) = bench.tick(wanted, 1.5 * math.sin(3.0 * t))
        worst = max(worst, abs(reading.position - wanted))
    assert bench.fault is None
    # what is told is a tick older than the setpoint: 3 mrad at 1.5 rad/s; the spring lags by what accelerates the rotor
    assert lag <= worst < lag + 0.02
    truth = bench.joints[0].to_joint(bench.board.motors[0].angle * 8.0)
    assert math.remainder(reading.position - truth, 2.0 * math.pi) == pytest.approx(0.0, abs=0.005)


def test_a_crank_turns_on_and_on():
    bench = Bench(start=0.0).ready()
    start, speed, ticks = bench.readings[0].position, 25.0, 1500
    for k in range(1, ticks + 1):
        (reading,) = bench.tick(start + speed * k * TICK, speed)
    assert bench.fault is None
    assert reading.position - start == pytest.approx(speed * ticks * TICK, abs=0.1)  # twelve turns
    assert reading.velocity == pytest.approx(speed, rel=0.02)


def test_efforts_turn_a_joint_that_is_driven_by_effort_as_newton_says():
    bench = Bench([crank(is_effort_driven=True, inertia=0.01, effort=1.0)]).ready()
    for _ in range(50):
        (reading,) = bench.tick(effort=0.4)
    # 0.4 N·m on 0.01 kg·m² for 0.1 s; the board knows a velocity by what came in the last 4 ms
    assert reading.velocity == pytest.approx(4.0, rel=0.05)
    assert reading.effort == pytest.approx(0.4, rel=0.02)
    for _ in range(50):
        (reading,) = bench.tick(effort=math.nan)
    assert reading.velocity == pytest.approx(4.0, rel=0.02)  # no effort, no friction
    (reading,) = bench.tick(effort=50.0)
    for _ in range(5):
        (reading,) = bench.tick(effort=50.0)
    assert reading.effort == pytest.approx(1.0, rel=0.05)  # the joint's most


def test_enabling_does_not_move_the_joints_and_the_setpoint_from_before_counts():
    bench = Bench(start=1.0).ready(enable=False)
    bench.bus.write(np.array([1.1]), np.zeros(1), np.full(1, np.nan))
    bench.sleep(0.05)
    assert bench.board.motors[0].angle == pytest.approx(plan_motor(bench.joints[0]).shaft(1.0))
    bench.bus.enable()
    for _ in range(500):
        (reading,) = bench.tick(1.1)
    assert reading.position == pytest.approx(1.1, abs=2.0 * COUNT)


def test_release_takes_the_torque_off_and_enable_brings_it_again():
    bench = Bench([crank("a", 0), crank("b", 1)]).ready()
    bench.hold(0.05)
    assert bench.board.torque() == (True, True)
    assert bench.bus.release() == ()
    bench.sleep(0.002)
    assert bench.board.torque() == (False, False)
    bench.sleep(1.0)  # nothing feeds a board without torque, and nothing must
    bench.bus.keep_alive()
    bench.bus.enable()
    bench.hold(0.05)
    assert bench.fault is None
    assert bench.board.torque() == (True, True)


def test_the_boards_watchdog_takes_the_torque_off_when_the_driver_is_killed_and_the_next_one_begins_anew():
    bench = Bench().ready()
    bench.hold(0.2)
    killed = bench.now
    while bench.board.torque()[0]:
        assert bench.now < killed + 1.0, "the watchdog never bit"
        bench.sleep(0.001)
    assert bench.now - killed == pytest.approx(SETTINGS.watchdog, abs=0.005)
    again = BoardBus("board", SETTINGS, port=bench.line, clock=bench.clock, sleep=bench.sleep)
    again.configure(bench.joints)  # a program that has ended is no reason not to begin
    again.write(np.array([0.5]), np.zeros(1), np.full(1, np.nan))
    again.enable()
    bench.sleep(0.002)
    assert bench.board.torque() == (True,)


def test_cycles_feed_the_watchdog():
    bench = Bench().ready()
    bench.hold(5.0 * SETTINGS.watchdog)
    assert bench.fault is None
    assert bench.board.torque() == (True,)


def test_all_motors_go_in_one_question_and_one_answer():
    bench = Bench([crank(name, i) for i, name in enumerate("abcd")]).ready()
    asked, answered = [], []
    bench.line.to_board = lambda data: asked.append(data) or data
    bench.line.to_driver = lambda data: answered.append(data) or data
    bench.tick(0.5)
    assert len(asked) == 1
    assert sum(data.count(0) for data in answered) == 1
    assert len(b"".join(answered)) == 27 + 16 * 4  # as docs/board_protocol.md counts it


def test_the_first_answer_that_is_lost_costs_one_cycle_and_no_more():
    bench = Bench().ready()
    bench.hold(0.1)
    begun = bench.now
    bench.line.to_driver = lambda data: b""
    bench.tick(0.5)
    assert bench.now - begun < 0.02
    bench.line.to_driver = lambda data: data
    before = bench.readings[0].time
    bench.tick(0.5)
    assert bench.readings[0].time > before
    assert bench.fault is None


# zeros


def lost(*joints, start=0.5):
    """A bench whose board has been without its supply."""
    bench = Bench(joints, start=start)
    bench.board.restart()
    return bench


def test_a_zero_that_the_board_does_not_know_is_refused_until_it_is_found():
    bench = lost(crank("a", 0, friction=0.01), crank("b", 1, friction=0.01))
    with pytest.raises(UserError, match=r"has not found the index of a since it started: run 'crawler hw home'"):
        bench.bus.configure(bench.joints)
    assert bench.bus.find_zeros(bench.joints) == ("a", "b")
    bench.sleep(2.0)  # they come to rest
    assert bench.board.torque() == (False, False)
    bench.ready(enable=False)
    for reading, motor, joint in zip(bench.readings, bench.board.motors, bench.joints, strict=True):
        truth = joint.to_joint(motor.angle * joint.gear)
        assert math.remainder(reading.position - truth, 2.0 * math.pi) == pytest.approx(0.0, abs=2.0 * COUNT)
        assert abs(reading.position) <= math.pi + 1e-6  # whatever was counted meanwhile
    assert bench.bus.find_zeros(bench.joints) == ()  # they are known now


@pytest.mark.parametrize("velocity", [5.0, -5.0])
def test_the_index_is_searched_at_the_joints_velocity_and_in_its_direction(velocity):
    bench = lost(crank(search_velocity=velocity))
    turned = []
    sleep = bench.sleep
    bench.bus._sleep = lambda seconds: turned.append(-bench.board.motors[0].rate) or sleep(seconds)
    assert bench.bus.find_zeros(bench.joints) == ("crank",)
    assert np.median(turned) == pytest.approx(velocity, rel=0.1)


def test_a_crank_that_is_stuck_while_its_index_is_searched_is_told_and_let_go():
    bench = lost(crank())
    bench.board.motors[0].load = FreeRotor(1e9, 0.5)
    with pytest.raises(BusFault, match="crank does not turn while the board searches its index") as stuck:
        bench.bus.find_zeros(bench.joints)
    assert "raise its search_effort" in stuck.value.remedy
    bench.sleep(0.002)
    assert bench.board.torque() == (False,)


def test_an_index_that_never_comes_is_a_fault_of_its_joint():
    bench = lost(crank())
    bench.board.motors[0]._pass_index = lambda turn: None
    with pytest.raises(BusFault, match="its index was not found") as missing:
        bench.bus.find_zeros(bench.joints)
    assert missing.value.joint == "crank"
    bench.sleep(0.002)
    assert bench.board.torque() == (False,)


def test_an_absolute_encoder_knows_its_zero_after_a_restart():
    bench = lost(crank(encoder="absolute", on_output=True, counts=18))
    bench.ready()
    assert bench.readings[0].position == pytest.approx(0.5, abs=math.radians(10.0))


def test_a_joint_with_limits_knows_in_which_turn_its_index_is():
    (bus,) = hardware_map(three_link_on_a_board())
    for start in (1.0, 1.9, 2.9):
        bench = Bench(bus.joints, settings=bus.settings, start=start).ready(enable=False)
        assert [reading.position for reading in bench.readings] == pytest.approx([start, start], abs=1e-3)


@pytest.mark.parametrize(("zero_deg", "said"), [(-1000.0, "never"), (-5500.0, "once")])
def test_a_joint_with_limits_must_pass_its_index(zero_deg, said):
    spec = three_link_on_a_board(joints={"joint_1": {"zero_deg": zero_deg}})
    (bus,) = hardware_map(spec)
    if said == "once":
        assert plan_motor(bus.joints[0]).configuration().index == 0
        return
    with pytest.raises(UserError, match=r"joint_1 passes its index never between its limits"):
        plan_motor(bus.joints[0])


def test_limits_of_more_than_a_turn_leave_the_index_open_and_are_refused():
    with pytest.raises(UserError, match="passes its index more than once"):
        plan_motor(crank(lower=-7.0, upper=7.0))


# before torque, one sentence each


def refusal(bench):
    with pytest.raises(UserError) as refused:
        bench.bus.configure(bench.joints)
    said = str(refused.value)
    assert said.endswith(".")
    assert "\n" not in said
    bench.sleep(0.002)
    assert not any(bench.board.torque())
    return said


def test_no_board_is_told():
    bench = Bench()
    bench.line.to_board = lambda data: b""
    assert refusal(bench) == (
        "no board answers on the line: check its power, its cable, its firmware and the baud rate."
    )


def test_another_version_is_told_with_both(monkeypatch):
    bench = Bench()
    monkeypatch.setattr("hw_drivers.board.link.PROTOCOL_VERSION", 4)
    monkeypatch.setattr("hw_drivers.board.link.OLDEST_PROTOCOL_VERSION", 3)
    monkeypatch.setattr("hw_drivers.board.setup.PROTOCOL_VERSION", 4)
    assert refusal(bench) == (
        "the board on the line speaks version 2 of the protocol, but this program version 4: "
        "flash firmware of that version, or take a release of this stack that speaks the board's."
    )


def test_a_board_that_welcomes_in_another_version_is_refused_too(monkeypatch):
    bench = Bench()
    plain = Welcome.unpack
    monkeypatch.setattr(Welcome, "unpack", lambda data: replace(plain(data), version=3))
    assert "speaks version 3 of the protocol" in refusal(bench)


def test_a_motor_that_the_board_does_not_have_is_told():
    bench = Bench([crank("a", 0)])
    bench.joints = [crank("a", 4)]
    assert "the board on the line has motors 0 to 0, but hardware.joints.a.id is 4" in refusal(bench)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            lambda bench: setattr(bench.board, "is_stop_pressed", True),
            "its emergency stop is pressed: release it; then",
        ),
        (lambda bench: setattr(bench.board, "supply", 15.0), "its supply is too high"),
        (lambda bench: setattr(bench.board.motors[0], "is_broken", True), "the motor of crank reports: its encoder is"),
    ],
)
def test_a_fault_that_the_board_already_has_is_told_with_what_clears_it(spoil, said):
    bench = Bench()
    spoil(bench)
    bench.sleep(0.05)
    told = refusal(bench)
    assert said in told
    assert told.endswith("; then run 'crawler hw reboot'.")


def test_a_board_that_falls_silent_after_its_hello_is_told():
    bench = Bench()
    frames = []
    bench.line.to_board = lambda data: frames.append(data) or (data if len(frames) < 2 else b"")
    assert "has answered once and is silent since" in refusal(bench)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": 16}, "a board has motors 0 to 15"),
        ({"counts": 0}, "hardware.joints.crank.counts is missing"),
        ({"counts": 1}, "2 counts per turn at least"),
        ({"torque_constant": 0.0}, "torque_constant is missing"),
        ({"resistance": 0.0}, "resistance is missing"),
        ({"max_current": 0.0}, "max_current is missing"),
        ({"encoder": "absolute"}, "hardware.joints.crank.on_output is false"),
        ({"stiffness": 0.0}, "crank is driven by position, but its stiffness or damping is missing"),
        ({"effort": 2.0}, "needs 12.5 A, but hardware.joints.crank.max_current is 10 A"),
    ],
)
def test_what_no_board_can_do_is_refused_before_it_is_asked(changes, said):
    with pytest.raises(UserError) as refused:
        plan_motor(crank(**changes))
    assert said in str(refused.value)


def test_a_supply_that_is_not_said_is_asked_for():
    with pytest.raises(UserError, match="lowest_supply and highest_supply are missing"):
        Bench(settings=replace(SETTINGS, lowest_supply=0.0, highest_supply=0.0))


def test_the_board_gets_what_the_robot_file_says():
    asked = plan_motor(crank(reverse_motor=True, temperature_limit=80.0, stall_time=0.5)).configuration()
    assert asked.flags == MotorFlag.REVERSE_MOTOR | MotorFlag.REGULATED
    assert (asked.hottest, asked.stall) == (80, 500)
    assert (asked.torque, asked.current) == (1.5, 10.0)
    assert asked.velocity == pytest.approx(1.25 * 30.0)  # the supervisor keeps the joint's own limit
