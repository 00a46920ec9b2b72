"""Sensors beside the motors in the board's protocol: bytes, firmware, IMU behind its registers."""

import struct

import pytest
from firmware_bench import MOTOR, Bench

from hw_drivers.board import messages as m
from hw_drivers.board.codec import MAX_FRAME_BYTES, frame, line_size
from hw_drivers.board.firmware import FirmwareSensors
from hw_drivers.bus.struct_message import BadMessage

HEAD = struct.pack("<IIHBHHB", 7, 1000, 740, 1, 0b1, 0, 3)
ONE_MOTOR = struct.pack(m.MotorState.layout, 5, 0.5, -1.0, 30, 1, 0)
IMU_BYTES = struct.pack("<I6h", 990, 1, -2, 3, -4, 5, -32768)


def test_a_state_without_sensors_is_that_of_version_1():
    state = m.StateMessage.unpack(HEAD + ONE_MOTOR)
    assert state.sensors is None
    assert state.motors[0].angle == 5
    assert m.StateMessage.size(1) == len(HEAD + ONE_MOTOR) == 32


def test_the_sensors_of_a_state_byte_by_byte():
    data = bytes([0x01, 0b101, 0b11, 0b10]) + IMU_BYTES + struct.pack("<HH", 17, 4095)
    sensors = m.StateMessage.unpack(HEAD + ONE_MOTOR + data).sensors
    assert sensors == m.SensorState(1, 3, 2, m.ImuSample(990, (1, -2, 3), (-4, 5, -32768)), {0: 17, 2: 4095})
    assert m.SensorState.size(has_imu=True, inputs=2) == len(data) == 24
    silent = m.SensorState.unpack(bytes([0x02, 0b1, 0, 0]) + b"\x34\x12")
    assert silent == m.SensorState(2, 0, 0, None, {0: 0x1234})


@pytest.mark.parametrize("sensors", [b"\x00", bytes(3), bytes([1, 0, 0, 0]) + bytes(15), bytes([0, 1, 0, 0, 9])])
def test_sensors_of_another_length_are_no_state(sensors):
    with pytest.raises(BadMessage, match="sensors of State have"):
        m.StateMessage.unpack(HEAD + ONE_MOTOR + sensors)


def test_the_largest_state_is_a_frame():
    largest = m.StateMessage.size(m.MAX_MOTORS) + m.SensorState.size(has_imu=True, inputs=m.MAX_INPUTS)
    assert line_size(largest) == MAX_FRAME_BYTES + 1


def test_a_sensor_setup_byte_by_byte():
    data = struct.pack("<IBBffBB8f", 4, 1, 0x6C, 0.5, 0.25, 2, 1, 1.5, 2.5, *[0.0] * 6)
    assert len(data) == 48
    assert m.SensorSetup.unpack(data) == m.SensorSetup(4, 1, 0x6C, 0.5, 0.25, 2, 1, (1.5, 2.5, *[0.0] * 6))
    with pytest.raises(BadMessage, match="47 bytes"):
        m.SensorSetup.unpack(data[:-1])
    assert m.ConfigureSensors(1, 2, 3, 500, 100).pack() == bytes([1, 2, 3, 0xF4, 1, 100, 0])


class SensorBench(Bench):
    """A board with an IMU, two analogue inputs and two switches, of a session with or without torque."""

    def __init__(self, **world):
        self.world = FirmwareSensors(**{"imu": 1, "inputs": 2, "switches": 2, **world})
        super().__init__()
        self.hello()
        self.configure(MOTOR, watchdog=1000)

    def tick(self, times=1, us=1000):
        answers = []
        for _ in range(times):
            self.world.sample += 1
            self.firmware.sense(self.world)
            answers += super().tick(1, us)
        return answers

    def sensors(self):
        return self.state().sensors


def test_the_firmware_measures_what_it_is_configured_for_in_the_smallest_range_that_holds_it():
    bench = SensorBench()
    bench.world.angular[:], bench.world.linear[:] = (1.0, -2.0, 0.5), (0.0, 3.0, 9.81)
    bench.world.volts[:2] = (1.0, 9.0)
    assert bench.sensors() is None
    setup = bench.say(m.ConfigureSensors(m.SensorFlag.IMU, 0b11, 0b10, 300, 30))
    assert (setup.imu, setup.identity, setup.inputs, setup.switches) == (m.ImuState.RUNS, 0x6C, 2, 2)
    bench.world.closed = 0b11
    bench.tick()
    seen = bench.sensors()
    assert seen.imu.time == bench.now
    assert [setup.angular * count for count in seen.imu.angular] == pytest.approx([1.0, -2.0, 0.5], abs=3.1e-4)
    assert [setup.linear * count for count in seen.imu.linear] == pytest.approx([0.0, 3.0, 9.81], abs=1.2e-3)
    assert (seen.switches, seen.closed) == (0b10, 0b10)
    assert setup.input_scales[0] * seen.inputs[0] == pytest.approx(1.0, abs=1e-3)
    assert seen.inputs[1] == 4095  # beyond its range
    bench.world.angular[0] = 100.0
    bench.tick()
    assert bench.sensors().imu.angular[0] == 32767
    assert bench.say(m.ConfigureSensors()).imu == m.ImuState.NONE
    assert bench.sensors() is None
    bench.close()


def test_a_switch_closes_at_once_and_opens_after_three_ticks_without_contact():
    bench = SensorBench()
    bench.say(m.ConfigureSensors(switches=1))
    seen = []
    for closed in (0, 1, 0, 0, 1, 0, 0, 0, 0):
        bench.world.closed = closed
        bench.tick()
        seen.append(bench.sensors().closed)
    assert seen == [0, 1, 1, 1, 1, 1, 1, 0, 0]
    bench.close()


def test_an_imu_whose_cable_comes_off_is_reported_and_set_up_again_when_it_is_back():
    bench = SensorBench()
    setup = bench.say(m.ConfigureSensors(flags=m.SensorFlag.IMU, angular_range=250))
    bench.tick(5)
    assert bench.sensors().flags == m.ImuFlag.IMU_SAMPLE
    bench.world.imu = 2
    bench.tick(50)
    assert bench.sensors().imu is not None  # the last one
    bench.tick(60)
    assert (bench.sensors().flags, bench.sensors().imu) == (m.ImuFlag.IMU_SILENT, None)
    bench.world.imu, bench.world.angular[2] = 1, 1.0
    bench.tick(600)
    assert bench.sensors().flags == m.ImuFlag.IMU_SAMPLE
    assert setup.angular * bench.sensors().imu.angular[2] == pytest.approx(1.0, abs=1e-3)
    bench.close()


@pytest.mark.parametrize(
    ("world", "state", "identity"),
    [(0, m.ImuState.NONE, 0), (2, m.ImuState.SILENT, 0xFF), (3, m.ImuState.OTHER_PART, 0x68)],
)
def test_a_missing_or_wrong_imu_is_said_in_the_setup(world, state, identity):
    bench = SensorBench(imu=world)
    setup = bench.say(m.ConfigureSensors(flags=m.SensorFlag.IMU))
    assert (setup.imu, setup.identity) == (state, identity)
    bench.close()


def test_sensors_that_the_board_does_not_have_are_refused_and_none_are_configured_under_torque():
    bench = SensorBench()
    for message, field in (
        (m.ConfigureSensors(flags=2), 5),
        (m.ConfigureSensors(inputs=0b100), 6),
        (m.ConfigureSensors(switches=0b100), 7),
    ):
        refused = bench.say(message)
        assert (refused.code, refused.detail) == (m.Code.VALUE, field)
    assert bench.code(m.Arm()) == m.Code.OK
    assert bench.code(m.ConfigureSensors()) == m.Code.ARMED
    bench.close()


def test_a_session_of_version_1_knows_no_sensors_and_a_new_session_forgets_them():
    bench = SensorBench()
    bench.say(m.ConfigureSensors(switches=1))
    (welcome,) = bench.raw(frame(m.Hello(1, 5), 0))
    assert welcome.version == 1
    bench.session, bench.sent = welcome.session, 0
    assert bench.code(m.ConfigureSensors(switches=1)) == m.Code.UNKNOWN
    assert bench.sensors() is None
    (welcome,) = bench.raw(frame(m.Hello(2, 6), 0))
    assert welcome.version == 2
    bench.close()


def test_a_board_without_sensors_says_so():
    bench = Bench()
    bench.hello()
    setup = bench.say(m.ConfigureSensors(flags=m.SensorFlag.IMU))
    assert (setup.imu, setup.inputs, setup.switches) == (m.ImuState.NONE, 0, 0)
    bench.tick(2000)
    assert bench.state().sensors.imu is None
    bench.close()
