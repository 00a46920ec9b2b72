"""An IMU on I2C: registers, ranges, errors in sentences, and a cable that comes off."""

import errno
import math
import time
from dataclasses import replace
from unittest.mock import Mock

import pytest

from crawler_core.errors import UserError
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import ImuReading
from hw_drivers.bus.bus import BusFault
from hw_drivers.ports.i2c_port import EMULATED_PORTS
from hw_drivers.sensors.emulated_imu import emulate_imu
from hw_drivers.sensors.i2c_imu import I2cImu, I2cImuSettings
from hw_drivers.sensors.imu_parts import IMU_PARTS, LSM6DSOX, MPU6050
from hw_drivers.sensors.sensor_loop import RETRY_PERIOD_S, SensorLoop
from hw_drivers.sensors.sensor_map import SensorMap

SPEC = SensorSpec("imu", "imu", rate=200.0, gyro_range=8.0, accel_range=70.0)


class Rig:
    """A driver on an emulated part, with a clock of the test's own."""

    def __init__(self, part="lsm6dsox", spec=SPEC, address=0, bias=(0.0, 0.0, 0.0)):
        self.now = 10.0
        self.sensor = SensorMap(spec, "i2c", I2cImuSettings(part=part, address=address), bias)
        self.imu = emulate_imu(self.sensor)
        self.driver = I2cImu(self.sensor, port=self.imu.port, clock=lambda: self.now, sleep=self.sleep)

    def sleep(self, seconds):
        self.now += seconds

    def measure(self, angular=(0.5, -1.0, 0.25), linear=(1.0, -2.0, 9.81)):
        self.imu.measure(ImuReading("imu", 0, angular, linear))


@pytest.fixture
def rig():
    rigs = []

    def make(*arguments, **options):
        rigs.append(Rig(*arguments, **options))
        return rigs[-1]

    yield make
    for one in rigs:
        one.driver.close()
        one.imu.close()


@pytest.mark.parametrize("part", IMU_PARTS)
def test_a_sample_is_read_once_with_the_time_of_its_transfer(rig, part):
    it = rig(part)
    it.driver.open()
    assert it.driver.read() is None  # nothing is measured yet
    it.measure()
    it.now = 12.5
    reading = it.driver.read()
    assert (reading.sensor, reading.time_ns) == ("imu", 12_500_000_000)
    assert reading.angular == pytest.approx((0.5, -1.0, 0.25), abs=6e-4)
    assert reading.linear == pytest.approx((1.0, -2.0, 9.81), abs=3e-3)
    assert it.driver.read() is None
    it.measure(angular=(30.0, -30.0, 0.0), linear=(0.0, 0.0, math.nan))
    assert it.driver.read() is None  # no numbers are no measurement
    it.measure(angular=(30.0, -30.0, 0.0))
    assert it.driver.read().angular == (8.0, -8.0, 0.0)


def test_the_registers_are_those_of_the_data_sheets(rig):
    it = rig("lsm6dsox", replace(SPEC, gyro_range=math.inf, accel_range=math.inf))
    it.driver.open()
    assert bytes(it.imu.registers[0x10:0x14]) == bytes([0x84, 0x8C, 0x44, 0x02])  # 1667 Hz, 16 g, 2000 dps, BDU, LPF1
    assert it.driver.describe().startswith("LSM6DSO or LSM6DSOX at 0x6a on ")
    it = rig("mpu6050", replace(SPEC, gyro_range=4.0, accel_range=15.0), address=0x69)
    it.driver.open()
    assert bytes(it.imu.registers[0x19:0x1D]) == bytes([0, 1, 0 << 3, 0 << 3])  # 1 kHz, 184 Hz, 250 dps, 2 g
    assert (it.imu.registers[0x6B], it.imu.registers[0x38]) == (1, 1)


@pytest.mark.parametrize(
    ("part", "gyro", "accel"),
    [
        (LSM6DSOX, [125, 250, 500, 1000, 2000], [2, 4, 8, 16]),
        (MPU6050, [250, 500, 1000, 2000], [2, 4, 8, 16]),
    ],
)
def test_the_ranges_hold_what_they_are_called(part, gyro, accel):
    assert [math.degrees(one.limit) for one in part.gyro_ranges] == pytest.approx(gyro, rel=0.15)
    assert [one.limit / 9.80665 for one in part.accel_ranges] == pytest.approx(accel, rel=1e-3)


def test_what_is_wrong_is_said_in_a_sentence(rig):
    it = rig(address=0x6B)
    it.imu.address = 0x6A
    with pytest.raises(UserError, match=r"no LSM6DSOX answers at 0x6b on .* hardware.sensors.imu.address .* be 0x6a"):
        it.driver.open()
    it = rig("mpu6050")
    it.imu.registers[0x75] = 0x98
    with pytest.raises(UserError, match=r"is no MPU-6050: its WHO_AM_I is 0x98 instead of 0x68 .MPU-6050. or 0x70"):
        it.driver.open()
    it = rig(spec=replace(SPEC, gyro_range=50.0))
    with pytest.raises(UserError, match=r"gyro_range = 50 is not allowed: the LSM6DSOX measures up to 40.03"):
        it.driver.open()
    it = rig()
    it.imu.write_registers = lambda address, register, data: None
    with pytest.raises(UserError, match="does not keep its settings: check its supply, and the pull-ups"):
        it.driver.open()
    for number, words in ((errno.ENOENT, "there is no I2C bus"), (errno.EACCES, "usermod -aG i2c")):
        EMULATED_PORTS[it.imu.port] = Mock(side_effect=OSError(number, "no"))
        with pytest.raises(UserError, match=words):
            it.driver.open()


def test_a_cable_that_comes_off_is_a_problem_and_the_part_is_set_up_again_when_it_is_back(rig):
    it = rig(bias=(0.5, 0.0, 0.0))
    loop = SensorLoop("imu", it.driver, 200.0, clock=lambda: it.now)
    loop.open()

    def run(seconds):
        for _ in range(round(seconds / 0.005)):
            it.sleep(0.005)
            it.measure()
            loop.poll()
        return loop.take_sensor_readings()

    readings = run(0.5)
    assert 98 <= len(readings) <= 100
    assert readings[-1].angular == pytest.approx((0.0, -1.0, 0.25), abs=6e-4)  # without its bias
    it.imu.is_connected = False
    assert run(1.2 * RETRY_PERIOD_S) == []
    assert loop.problem.startswith(f"no LSM6DSOX answers at 0x6a on {it.imu.port}: check its 3.3 V")
    assert loop.failures == 2
    it.imu.power_on()
    it.imu.is_connected = True
    assert len(run(2.0 * RETRY_PERIOD_S)) > 50
    assert loop.problem == ""
    it.imu.has_port = False  # the adapter is pulled out
    run(0.1)
    assert "has failed" in loop.problem
    it.imu.has_port = True
    run(1.2 * RETRY_PERIOD_S)
    assert loop.problem == ""


def test_a_required_sensor_must_be_there_at_the_start_and_another_one_may_come_later(rig):
    it = rig()
    it.imu.is_connected = False
    with pytest.raises(UserError, match="no LSM6DSOX answers"):
        SensorLoop("imu", it.driver, 200.0, is_required=True, clock=lambda: it.now).open()
    loop = SensorLoop("imu", it.driver, 200.0, clock=lambda: it.now)
    loop.open()
    assert "no LSM6DSOX answers" in loop.problem
    it.imu.is_connected = True
    it.sleep(RETRY_PERIOD_S)
    loop.poll()
    assert loop.problem == ""
    it.imu.is_connected = False
    with pytest.raises(BusFault, match="no LSM6DSOX answers"):
        it.driver.read()


def test_the_thread_reads_by_itself_and_ends(rig):
    it = rig()
    loop = SensorLoop("imu", it.driver, 1000.0)
    loop.open()
    loop.start()
    found = []
    deadline = time.monotonic() + 60.0
    while len(found) < 5 and time.monotonic() < deadline:
        it.measure()
        found += loop.take_sensor_readings()
    loop.close()
    assert len(found) >= 5
    loop.take_sensor_readings()  # read before it ended
    it.measure()
    assert loop.take_sensor_readings() == []
