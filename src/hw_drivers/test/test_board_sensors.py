"""Sensors on a board, as its driver reads them: set-up, sentences, values and times."""

from dataclasses import replace

import pytest
from board_bench import SETTINGS, Bench, crank

from crawler_core.errors import UserError
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import BatteryReading, ForceReading, ImuReading, SwitchReading
from hw_drivers.board import messages as m
from hw_drivers.board.board_clock import BoardClock
from hw_drivers.board.board_sensors import BoardSensorSettings
from hw_drivers.board.codec import PacketParser, frame
from hw_drivers.board.emulated_world import EmulatedWorld
from hw_drivers.sensors.sensor_map import SensorMap

IMU = SensorSpec("imu", "imu", rate=500.0, gyro_range=8.0, accel_range=80.0)
SWITCH = SensorSpec("toe", "contact_switch", foot="foot", rate=500.0)
FORCE = SensorSpec("load", "foot_force", foot="foot", rate=500.0)
BATTERY = SensorSpec("cells", "battery", rate=20.0)


def on_board(sensor, **keys):
    return SensorMap(sensor, "board", BoardSensorSettings(bus="board", **keys))


def bench_with(*sensors, wired=None):
    """Return a bench whose board has the `wired` sensors; these by default."""
    bench = Bench([crank()], settings=SETTINGS)
    bench.board.world = EmulatedWorld(sensors if wired is None else wired)
    bench.bus.attach_sensors(sensors)
    return bench


def test_readings_have_the_values_and_the_times_of_the_measurements():
    bench = bench_with(
        on_board(IMU),
        on_board(SWITCH, input=1, normally_closed=True),
        on_board(FORCE, input=2, scale=50.0, offset=0.5),
        on_board(BATTERY, scale=11.0),
    ).ready()
    world = bench.board.world
    bench.bus.take_sensor_readings()
    seen = []
    for k in range(50):
        world.measure(ImuReading("imu", 0, (0.1 * k, 0.0, -1.0), (0.0, 9.81, -k)))
        world.measure(SwitchReading("toe", 0, k % 10 >= 5))
        world.measure(ForceReading("load", 0, float(k)))
        world.measure(BatteryReading("cells", 0, 24.0))
        measured = bench.now
        bench.hold(0.005)
        new = bench.bus.take_sensor_readings()
        seen += new
        imu = [one for one in new if isinstance(one, ImuReading)][-1]
        assert imu.angular == pytest.approx((min(0.1 * k, 8.0), 0.0, -1.0), abs=4e-4)
        assert imu.linear == pytest.approx((0.0, 9.81, -k), abs=3e-3)
        assert measured < 1e-9 * imu.time_ns < measured + 0.002
    assert {one.closed for one in seen if isinstance(one, SwitchReading)} == {True, False}
    assert max(one.force for one in seen if isinstance(one, ForceReading)) == pytest.approx(49.0, abs=0.05)
    batteries = [one for one in seen if isinstance(one, BatteryReading)]
    assert [one.voltage for one in batteries] == pytest.approx([24.0] * len(batteries), abs=0.01)
    assert 4 <= len(batteries) <= 7  # at its own rate, and not in every cycle
    assert bench.bus.take_sensor_readings() == []


def test_a_measured_bias_is_taken_off():
    imu = replace(on_board(IMU), gyro_bias=(0.1, 0.0, -0.2))
    bench = bench_with(imu).ready()
    bench.board.world.measure(ImuReading("imu", 0, (0.1, 0.0, -0.2), (0.0, 0.0, 9.81)))
    bench.hold(0.01)
    assert bench.bus.take_sensor_readings()[-1].angular == pytest.approx((0.0, 0.0, 0.0), abs=4e-4)


def of_version_1(bench):
    """Let the board answer as firmware of version 1 does."""
    answers = []

    def to_board(data):
        for packet in PacketParser().feed(data):
            if packet[0] == m.Hello.type and packet[5] != 1:
                answers.append(frame(m.Ack(0, m.Hello.type, m.Code.VERSION, 1), 0))
                return b""
        return data

    def to_driver(data):
        return answers.pop() if answers else data

    bench.line.to_board, bench.line.to_driver = to_board, to_driver
    return bench


def test_a_board_of_version_1_works_without_its_sensors():
    bench = of_version_1(bench_with(on_board(IMU), on_board(SWITCH))).ready()
    assert bench.hold(0.05) >= 0.05
    assert bench.bus.take_sensor_readings() == []
    assert bench.bus.sensor_problems()["toe"] == (
        "the board on the line speaks version 1 of the protocol, which has no sensors: flash firmware of version 2, "
        "or remove hardware.sensors.toe from the robot file"
    )
    with pytest.raises(UserError, match="version 1 of the protocol, which has no sensors"):
        of_version_1(bench_with(on_board(replace(IMU, required=True)))).ready()


@pytest.mark.parametrize(
    ("sensor", "wired", "words"),
    [
        (on_board(IMU), (), "has no IMU: wire one and name it in its wiring.h"),
        (on_board(replace(IMU, gyro_range=60.0)), (on_board(IMU),), r"gyro_range = 60 is not allowed: .* up to 40.03"),
        (on_board(SWITCH, input=3), (on_board(SWITCH),), "has switches 0 to 0, but hardware.sensors.toe.input is 3"),
        (on_board(BATTERY, input=1), (), "has no analogue inputs, but hardware.sensors.cells.input is 1"),
    ],
)
def test_a_missing_sensor_is_said_and_a_required_one_ends_the_set_up(sensor, wired, words):
    bench = bench_with(sensor, wired=wired).ready()
    (problem,) = bench.bus.sensor_problems().values()
    with pytest.raises(UserError, match=words) as refused:
        bench_with(replace(sensor, sensor=replace(sensor.sensor, required=True)), wired=wired).ready()
    assert str(refused.value) == f"{problem}."


@pytest.mark.parametrize(("imu", "words"), [(2, "does not answer"), (3, r"WHO_AM_I 0x68\): take an LSM6DSO")])
def test_an_imu_that_is_silent_or_another_part_is_said(imu, words):
    bench = bench_with(on_board(replace(IMU, required=True)))
    bench.board.world.state.imu = imu
    with pytest.raises(UserError, match=words):
        bench.ready()


def test_an_imu_whose_cable_comes_off_is_a_problem_until_it_is_back_and_no_motor_stops():
    bench = bench_with(on_board(IMU)).ready()
    world = bench.board.world

    def run(seconds):
        for k in range(round(seconds / 0.002)):
            world.measure(ImuReading("imu", 0, (0.01 * k, 0.0, 0.0), (0.0, 0.0, 9.81)))
            bench.hold(0.002)
        return bench.bus.take_sensor_readings()

    assert len(run(0.1)) >= 40
    world.set_cable(False)
    run(0.02)
    assert run(0.2) == []
    assert bench.bus.sensor_problems() == {"imu": "it does not answer the board"}
    world.set_cable(True)
    run(0.7)
    assert bench.bus.sensor_problems() == {}
    assert len(run(0.1)) >= 40
    assert bench.fault is None


def test_a_restarted_board_measures_again_after_a_reset():
    bench = bench_with(on_board(SWITCH)).ready()
    bench.board.restart()
    bench.hold(0.1)
    assert "has restarted" in str(bench.fault)
    bench.board.find_indices()
    bench.bus.clear()
    bench.board.world.measure(SwitchReading("toe", 0, True))
    bench.bus.take_sensor_readings()
    bench.bus.read()
    bench.sleep(0.01)
    bench.bus.read()
    assert bench.bus.take_sensor_readings()[-1].closed


def test_the_boards_clock_is_the_fastest_answers_and_follows_a_drift_and_a_wrap():
    clock = BoardClock()
    offset, start_us = 5.0, 2**32 - 3_000_000  # it wraps after 3 s
    for k in range(2000):
        true = 4e-3 * k
        board_us = round(start_us + 1e6 * true * (1.0 + 5e-5)) % 2**32
        clock.update(board_us, offset + true + (3e-4 if k % 5 == 0 else 2e-3))
        assert clock.time(board_us) == pytest.approx(offset + true + 3e-4, abs=5e-5)
    assert clock.time((board_us - 1000) % 2**32) == pytest.approx(offset + true - 7e-4, abs=5e-5)
    clock.update(1000, 20.0)  # another start of the board
    assert clock.time(1000) == pytest.approx(20.0)
