"""What a board makes of setpoints, encoders and indices: angles, velocities, voltages, and their limits."""

import ctypes
import math
from dataclasses import replace

import pytest
from firmware_bench import COARSE, MOTOR, Bench, Rotor, board

from hw_drivers.board.firmware import library
from hw_drivers.board.messages import (
    ANGLE_UNIT_RAD,
    Ack,
    Arm,
    Code,
    FindIndex,
    MotorFault,
    MotorFlag,
    MotorMode,
    MotorSetpoint,
    MotorStatus,
    Setpoints,
    StateMessage,
)

TURN_RAD = 2**20  # units
PER_TURN = MOTOR.counts * int(MOTOR.gear)  # counts for one of the output shaft
CONSTANT = MOTOR.gear * MOTOR.torque_constant  # N·m/A and V·s/rad at the output shaft
REGULATED = int(MotorFlag.REGULATED)


def volts(bench, torque):
    bench.torque(torque)
    bench.tick()
    (found,) = bench.volts
    return found


def turning(bench, rate, torque):
    """The voltage for a torque, after the shaft of motor 0 has turned at `rate` (rad/s) for a while."""
    sensors = bench.firmware.sensors[0]
    start, per_tick = sensors.count, rate / (2.0 * math.pi) * PER_TURN * 1e-3
    for k in range(1, 21):
        sensors.count = start + round(k * per_tick)
        found = volts(bench, torque if k == 20 else 0.0)
    return found


# voltages


@pytest.mark.parametrize("torque", [0.1, -0.25, 0.5])
def test_a_standing_motor_gets_the_voltage_whose_current_makes_the_torque(torque):
    with board(MOTOR) as bench:
        assert volts(bench, torque) == pytest.approx(MOTOR.resistance * torque / CONSTANT, rel=1e-6)


def test_leads_the_wrong_way_round_are_driven_the_other_way():
    with board(replace(MOTOR, flags=int(MotorFlag.REVERSE_MOTOR))) as bench:
        assert volts(bench, 0.1) == pytest.approx(-MOTOR.resistance * 0.1 / CONSTANT, rel=1e-6)


@pytest.mark.parametrize(
    ("config", "most"),
    [
        (MOTOR, 0.5),
        (replace(MOTOR, current=1.0), CONSTANT * 1.0),
        (replace(MOTOR, current=1.0, flags=REGULATED), CONSTANT * 1.0),
    ],
)
def test_torque_and_current_are_cut_to_their_limits_and_the_state_says_so(config, most):
    with board(config) as bench:
        for way in (1.0, -1.0):
            assert volts(bench, way * 100.0) == pytest.approx(way * MOTOR.resistance * most / CONSTANT, rel=1e-6)
            assert bench.state().motors[0].status & MotorStatus.CUT
        assert volts(bench, 0.9 * most)
        assert not bench.state().motors[0].status & MotorStatus.CUT


def test_no_more_voltage_is_asked_for_than_the_supply_has():
    with board(replace(MOTOR, resistance=20.0)) as bench:
        assert volts(bench, 0.5) == bench.supply
        assert bench.state().motors[0].status & MotorStatus.CUT


@pytest.mark.parametrize("rate", [5.0, -5.0])
def test_what_the_turning_motor_induces_is_made_up_for_only_where_the_current_is_regulated(rate):
    for flags, back in ((0, 0.0), (REGULATED, CONSTANT * rate)):
        with board(replace(MOTOR, flags=flags)) as bench:
            # the encoder has counts, and the velocity their grain
            assert turning(bench, rate, 0.1) == pytest.approx(MOTOR.resistance * 0.1 / CONSTANT + back, abs=0.02)


def test_a_motor_that_turns_against_its_torque_gets_no_more_than_its_most_current():
    with board(replace(MOTOR, velocity=100.0, current=1.0, torque=5.0)) as bench:
        induced = -20.0 * CONSTANT
        assert turning(bench, -20.0, 5.0) == pytest.approx(induced + MOTOR.resistance * 1.0, abs=0.05)


def test_torque_that_drives_a_shaft_beyond_its_most_velocity_is_taken_back_over_the_last_tenth():
    with board(replace(MOTOR, velocity=20.0)) as bench:
        assert turning(bench, 19.0, 0.5) == pytest.approx(0.5 * 0.5 * MOTOR.resistance / CONSTANT, rel=0.1)
        assert turning(bench, 19.0, -0.1) == pytest.approx(-0.1 * MOTOR.resistance / CONSTANT, rel=1e-6)
        assert turning(bench, 21.0, 0.5) == 0.0


def test_a_winding_with_more_resistance_than_configured_still_gets_its_current():
    config = replace(MOTOR, flags=REGULATED, velocity=1000.0)
    with board(config) as bench:
        rotor = Rotor(config, inertia=1.0, resistance=1.2 * config.resistance)
        rotor.live(bench, 200, Setpoints({0: MotorSetpoint(MotorMode.TORQUE, 0.3)}))
        assert bench.state().motors[0].current == pytest.approx(0.3 / CONSTANT, rel=0.01)


def test_a_winding_that_is_broken_gets_no_more_than_a_quarter_of_the_most_voltage_on_top():
    config = replace(MOTOR, flags=REGULATED, velocity=1000.0)
    with board(config) as bench:
        rotor = Rotor(config, inertia=1e6, resistance=1e6)
        rotor.live(bench, 300, Setpoints({0: MotorSetpoint(MotorMode.TORQUE, 0.3)}))
        most = 0.25 * config.resistance * config.current
        assert bench.volts == [pytest.approx(config.resistance * 0.3 / CONSTANT + most, rel=1e-3)]


def test_the_currents_loop_learns_nothing_while_the_supply_is_at_its_end():
    config = replace(MOTOR, flags=REGULATED, resistance=20.0)
    with board(config, watchdog=1000) as bench:
        bench.firmware.sensors[0].current = bench.supply / config.resistance
        assert volts(bench, 0.5) == bench.supply
        bench.tick(200)
        assert volts(bench, 0.02) == pytest.approx(config.resistance * 0.02 / CONSTANT, rel=1e-6)


# regulating


def test_a_position_is_reached_and_held_against_a_load_as_a_spring_holds_it():
    with board(MOTOR) as bench:
        rotor = Rotor(MOTOR, load=0.1)
        rotor.live(bench, 600, Setpoints({0: MotorSetpoint(MotorMode.POSITION, angle=TURN_RAD // 4)}))
        assert rotor.angle == pytest.approx(math.pi / 2.0 - rotor.load / MOTOR.stiffness, abs=2e-3)
        assert abs(rotor.rate) < 0.01
        assert bench.state().motors[0].angle * ANGLE_UNIT_RAD == pytest.approx(
            rotor.angle, abs=2.0 * math.pi / PER_TURN
        )


def test_a_velocity_is_reached_with_the_torque_that_is_given_beside_it():
    config = replace(MOTOR, flags=REGULATED)
    with board(config) as bench:
        rotor = Rotor(config, load=0.1)
        rotor.live(bench, 400, Setpoints({0: MotorSetpoint(MotorMode.VELOCITY, velocity=6.0, torque=0.1)}))
        assert rotor.rate == pytest.approx(6.0, rel=0.02)
        assert bench.state().motors[0].velocity == pytest.approx(6.0, rel=0.02)


def test_a_position_beyond_a_limit_is_led_to_the_limit_and_torque_does_not_push_past_it():
    limited = replace(
        COARSE, counts=4096, flags=int(MotorFlag.ON_OUTPUT | MotorFlag.LIMITED), stiffness=2.0, damping=0.05
    )
    limited = replace(limited, lower=-TURN_RAD // 8, upper=TURN_RAD // 8)
    with board(limited) as bench:
        rotor = Rotor(limited)
        rotor.live(bench, 600, Setpoints({0: MotorSetpoint(MotorMode.POSITION, angle=TURN_RAD // 2)}))
        assert rotor.angle == pytest.approx(math.pi / 4.0, abs=0.01)
        bench.firmware.sensors[0].count = 4096 // 8 + 5
        assert volts(bench, 0.1) == 0.0
        assert volts(bench, -0.1) is not None
        assert volts(bench, -0.1) != 0.0


def test_limits_of_angle_hold_from_the_index_on():
    with board(replace(MOTOR, flags=int(MotorFlag.LIMITED), lower=-1000, upper=1000)) as bench:
        bench.firmware.sensors[0].count = 5000
        bench.tick()
        assert volts(bench, 0.1) == pytest.approx(MOTOR.resistance * 0.1 / CONSTANT, rel=1e-6)  # wherever that is
        bench.firmware.sensors[0].index_pulses = 1
        bench.tick()
        assert volts(bench, 0.1) == 0.0


@pytest.mark.parametrize("way", [1, -1])
def test_a_shaft_that_stands_beyond_a_limit_is_led_back_as_it_is_told_and_never_further_out(way):
    limited = replace(COARSE, counts=4096, flags=int(MotorFlag.ON_OUTPUT | MotorFlag.LIMITED), stiffness=2.0)
    limited = replace(limited, lower=-TURN_RAD // 8, upper=TURN_RAD // 8, damping=0.05)
    bench = Bench()
    bench.firmware.sensors[0].count = way * 4096 // 4 % 4096
    bench.hello()
    bench.configure(limited)
    bench.code(Arm())
    for told, toward in (
        (TURN_RAD // 4, 0.0),  # where it stands
        (TURN_RAD // 4 - TURN_RAD // 50, -1.0),  # on its way back
        (TURN_RAD // 2, 0.0),  # further out: it stays
    ):
        bench.say(Setpoints({0: MotorSetpoint(MotorMode.POSITION, angle=way * told)}))
        bench.tick()
        (found,) = bench.volts
        assert found == pytest.approx(way * toward * 2.0 * math.pi / 50.0 * 2.0 * 2.0 / CONSTANT, abs=0.02)
    # what has come in may not go out again
    for k in range(1, 500):
        bench.firmware.sensors[0].count = (way * (4096 // 4 - k)) % 4096
        bench.say(Setpoints({0: MotorSetpoint(MotorMode.POSITION, angle=way * TURN_RAD // 8)}))
        bench.tick()
    bench.firmware.sensors[0].count = way * 4096 // 4 % 4096 - way * 100
    for _ in range(20):
        bench.say(Setpoints({0: MotorSetpoint(MotorMode.POSITION, angle=way * TURN_RAD // 4)}))
        bench.tick()
    (found,) = bench.volts
    assert way * found < -1.0
    bench.close()


# angles


@pytest.mark.parametrize("reverse", [False, True])
def test_a_quadrature_encoder_counts_on_beyond_its_registers_and_angles_wrap_after_whole_turns(reverse):
    bench = Bench()
    sensors = bench.firmware.sensors[0]
    bench.hello()
    bench.configure(replace(MOTOR, flags=int(MotorFlag.REVERSE_ENCODER) if reverse else 0))
    count = 0
    for turns in (0.25, 1.0, 4095.0, 4096.25, 200_000.75, -3.5):
        start, goal = count, round(turns * PER_TURN)
        for k in range(1, 21):  # less than half of the register's range at a time
            count = start + (goal - start) * k // 20
            sensors.count = (count + 2**31) % 2**32 - 2**31
            bench.tick()
        angle = bench.state().motors[0].angle
        assert (angle - (-1 if reverse else 1) * round(turns * TURN_RAD)) % 2**32 in (0, 1, 2**32 - 1), turns
    assert not bench.state().motors[0].status & MotorStatus.HOMED
    bench.close()


@pytest.mark.parametrize("reverse", [False, True])
def test_an_absolute_encoder_knows_its_angle_at_once_and_turns_for_ever_in_both_directions(reverse):
    flags = int(MotorFlag.ON_OUTPUT | (MotorFlag.REVERSE_ENCODER if reverse else 0))
    bench = Bench()
    sensors = bench.firmware.sensors[0]
    sensors.count = 17 if reverse else 0
    bench.hello()
    bench.configure(replace(COARSE, flags=flags, index=TURN_RAD // 2))
    way = -1 if reverse else 1
    for step in [*range(40), *range(40, -60, -1)]:
        sensors.count = ((17 if reverse else 0) + way * step) % 18
        bench.tick()
        state = bench.state().motors[0]
        assert state.angle == pytest.approx(TURN_RAD // 2 + (step + 0.5) * TURN_RAD / 18, abs=1.0)
        assert state.status & MotorStatus.HOMED
        assert not state.faults
    bench.close()


@pytest.mark.parametrize(("count", "turns"), [(0, 0.5 / 18), (9, 9.5 / 18 - 1.0), (17, -0.5 / 18)])
@pytest.mark.parametrize("reverse", [False, True])
def test_within_limits_an_absolute_encoder_begins_in_the_turn_that_is_nearest_to_their_middle(count, turns, reverse):
    flags = int(MotorFlag.ON_OUTPUT | MotorFlag.LIMITED | (MotorFlag.REVERSE_ENCODER if reverse else 0))
    bench = Bench()
    bench.firmware.sensors[0].count = 17 - count if reverse else count
    bench.hello()
    bench.configure(replace(COARSE, flags=flags, lower=-TURN_RAD // 2, upper=TURN_RAD // 4))
    assert bench.state().motors[0].angle == pytest.approx(turns * TURN_RAD, abs=1.0)
    bench.close()


@pytest.mark.parametrize(
    ("config", "rate", "off"), [(MOTOR, 0.3, 0.02), (MOTOR, 19.0, 0.01), (COARSE, 12.0, 0.05), (COARSE, -30.0, 0.1)]
)
def test_velocities_come_from_the_edges_of_counts_and_die_away_at_a_standstill(config, rate, off):
    bench = Bench()
    bench.hello()
    bench.configure(config)
    sensors = bench.firmware.sensors[0]
    per_turn = config.counts * (1 if config is COARSE else config.gear)
    seen = []
    for k in range(400):
        count = math.floor((k * 1e-3 * rate) / (2.0 * math.pi) * per_turn)
        sensors.count = count % config.counts if config is COARSE else count
        bench.tick()
        if k > 200:
            seen.append(bench.state().motors[0].velocity)
    assert sum(seen) / len(seen) == pytest.approx(rate, rel=off)
    bench.tick(300)  # the next edge would have come long ago
    assert abs(bench.state().motors[0].velocity) <= 2.0 * math.pi / per_turn / 0.299
    bench.tick(1000)
    assert bench.state().motors[0].velocity == 0.0
    bench.close()


FORWARDS = (0b00, 0b10, 0b11, 0b01)  # levels of the lines A and B: A rises first


def decoded(levels, first=0b00):
    count = ctypes.c_int32()
    well = library().crawler_quadrature(bytes(levels), len(levels), first, ctypes.byref(count))
    return count.value, bool(well)


@pytest.mark.parametrize("first", range(4))
def test_edges_of_two_lines_are_counted_in_both_directions_and_one_that_was_missed_is_told(first):
    states = [FORWARDS[(first + k) % 4] for k in range(9)]
    assert decoded(states[1:], states[0]) == (8, True)
    assert decoded(states[::-1][1:], states[-1]) == (-8, True)
    assert decoded([*states[1:5], *states[4:0:-1], states[0]], states[0]) == (0, True)
    assert decoded([states[0], states[0]], states[0]) == (0, True)
    assert decoded([states[1], states[3]], states[0]) == (1, False)


# the index


def with_index(bench, rotor, ticks, at, each):
    """Turn with an index at `at` (rad) of the output shaft."""
    sensors = bench.firmware.sensors[0]
    for _ in range(ticks):
        before = math.floor((rotor.angle - at) / (2.0 * math.pi))
        rotor.live(bench, 1, each)
        after = math.floor((rotor.angle - at) / (2.0 * math.pi))
        if before != after:
            sensors.index_pulses += 1
            sensors.index_count = round((at / (2.0 * math.pi) + max(before, after)) * PER_TURN)


@pytest.mark.parametrize("rate", [3.0, -3.0])
def test_an_index_search_finds_where_the_shaft_is_and_then_lets_it_go(rate):
    config = replace(MOTOR, index=TURN_RAD // 4, flags=REGULATED, damping=0.2)
    with board(config) as bench:
        rotor = Rotor(config, load=0.05 * math.copysign(1.0, rate))
        assert bench.code(FindIndex(0, rate, 0.4, 2.0)) == Code.OK
        assert bench.state().motors[0].status & MotorStatus.SEARCHING
        feed = Setpoints(
            {0: MotorSetpoint(MotorMode.TORQUE, -math.copysign(0.4, rate))}
        )  # the search takes no notice of it
        at = math.copysign(2.0, rate)
        for _ in range(2000):
            with_index(
                bench,
                rotor,
                1,
                at,
                Setpoints({}) if bench.state().motors[0].status & MotorStatus.HOMED else feed,
            )
            if bench.state().motors[0].status & MotorStatus.HOMED:
                break
        bench.say(Setpoints({}))
        bench.tick()
        state = bench.state().motors[0]
        assert state.status & MotorStatus.HOMED
        assert not state.status & MotorStatus.SEARCHING
        assert bench.volts == [None]
        here = rotor.angle - at + math.pi / 2.0
        assert math.remainder(state.angle * ANGLE_UNIT_RAD - here, 2.0 * math.pi) == pytest.approx(0.0, abs=2e-3)
        assert bench.code(FindIndex(0, rate, 0.4, 2.0)) == Code.OK  # again
        bench.tick()
        assert bench.state().motors[0].status & (MotorStatus.HOMED | MotorStatus.SEARCHING) == MotorStatus.SEARCHING


def test_a_search_pushes_no_harder_than_it_may_and_each_begins_anew():
    with board(replace(MOTOR, damping=0.02), watchdog=1000) as bench:
        gentle, hard = FindIndex(0, 3.0, 0.4, 2.0), FindIndex(0, 30.0, 0.4, 2.0)
        for wanted, torque in ((gentle, 0.06), (hard, 0.4), (gentle, 0.06)):
            assert bench.code(wanted) == Code.OK
            bench.tick()
            # what it learns in a tick of 1 ms is a hundredth more
            assert bench.volts == [pytest.approx(MOTOR.resistance * torque / CONSTANT, rel=0.011)]
            bench.tick(300)  # it does not turn
            assert bench.volts == [pytest.approx(MOTOR.resistance * min(4.0 * torque, 0.4) / CONSTANT, rel=0.02)]


def test_a_search_without_an_index_ends_as_a_fault_of_that_motor():
    config = replace(MOTOR, flags=REGULATED, damping=0.2)
    with board(config) as bench:
        rotor = Rotor(config)
        assert bench.code(FindIndex(0, 10.0, 0.4, 1.25)) == Code.OK
        while not bench.state().motors[0].faults:
            rotor.live(bench, 1, Setpoints({}))
        assert bench.volts == [None]
        assert bench.state().motors[0].faults == MotorFault.INDEX_NOT_FOUND
        assert rotor.angle / (2.0 * math.pi) == pytest.approx(1.25, abs=0.01)


def test_a_search_ends_with_the_watchdog_like_all_torque():
    with board(replace(MOTOR, damping=0.2)) as bench:
        assert bench.code(FindIndex(0, 10.0, 0.4, 5.0)) == Code.OK
        bench.tick(10)
        assert bench.volts != [None]
        bench.tick(11)
        assert bench.volts == [None]


def test_an_absolute_encoder_is_not_searched_for():
    with board(COARSE) as bench:
        answer = bench.say(FindIndex(0, 1.0, 0.1, 1.0))
        assert isinstance(answer, Ack)
        assert (answer.code, answer.detail) == (Code.VALUE, 5)


@pytest.mark.parametrize(
    ("lost", "well"), [(0, True), (PER_TURN // 20, True), (PER_TURN // 15, False), (-PER_TURN // 15, False)]
)
def test_counts_that_were_lost_show_at_the_next_index(lost, well):
    with board(MOTOR, watchdog=1000) as bench:
        sensors = bench.firmware.sensors[0]
        for turn in range(2):
            sensors.index_count = turn * (PER_TURN + lost)
            sensors.index_pulses += 1
            for k in range(400):
                sensors.count = sensors.index_count + k * PER_TURN // 400
                bench.tick()
        state = bench.state()
        assert isinstance(state, StateMessage)
        assert state.motors[0].faults == (0 if well else MotorFault.ENCODER)
