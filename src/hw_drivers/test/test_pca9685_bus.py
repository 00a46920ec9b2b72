"""The driver on an emulated board: moving, letting go, and every fault as a sentence."""

import errno
import math
from dataclasses import replace

import numpy as np
import pytest
import smbus2
from pca9685_bench import SETTINGS, TICK, Bench, servo

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault, Source
from hw_drivers.pca9685 import registers as r
from hw_drivers.pca9685.pca9685_bus import Pca9685Bus
from hw_drivers.pca9685.pwm_board import PwmBoard
from hw_drivers.ports.i2c_port import I2cPort

STEP = math.pi * 4.88e-6 / 2e-3  # rad: one count at 50 Hz
LEGS = (servo("left", 0), servo("right", 1), servo("tail", 9))


def test_servos_go_where_they_are_commanded():
    with Bench(LEGS) as bench:
        bench.ready()
        goal = np.array([0.5, -0.7, 1.2])
        bench.hold(goal, 0.5)
        assert bench.fault is None
        assert bench.emulator.motion()[0] == pytest.approx(goal, abs=0.51 * STEP)


def test_what_is_told_of_a_joint_is_its_command_and_says_so():
    with Bench() as bench:
        bench.ready()
        readings = bench.tick(1.0)
        assert readings[0].source is Source.COMMANDED
        assert readings[0].position == pytest.approx(1.0, abs=0.51 * STEP)
        assert bench.emulator.motion()[0][0] < 0.5, "the servo itself is not there yet"
        assert math.isnan(readings[0].effort)


def test_the_rate_that_is_told_is_that_of_the_setpoints():
    with Bench() as bench:
        bench.ready()
        bench.tick(0.0)
        assert bench.tick(0.01)[0].velocity == pytest.approx(0.01 / TICK)
        bench.sleep(TICK)
        assert bench.tick(0.02)[0].velocity == pytest.approx(0.01 / (2.0 * TICK)), "it came a tick late"
        assert bench.tick(0.02)[0].velocity == 0.0


def test_a_servo_that_is_blocked_or_dead_cannot_be_seen():
    with Bench() as bench:
        bench.ready()
        bench.emulator.inject("dead", "hip")
        bench.hold(1.0, 1.0)
        assert bench.fault is None, "open loop is open loop: whoever believes otherwise is in danger"
        assert bench.emulator.motion()[0][0] == pytest.approx(0.0, abs=STEP)


def test_a_trimmed_oscillator_gives_the_right_pulses():
    fast = replace(SETTINGS, oscillator=26.5e6)
    with Bench(settings=fast, oscillator=26.5e6) as bench:
        bench.ready()
        bench.hold(1.0, 0.5)
        assert bench.emulator.motion()[0][0] == pytest.approx(1.0, abs=0.51 * STEP)
    with Bench(oscillator=26.5e6) as bench:  # what an untrimmed one costs
        bench.ready()
        bench.hold(1.0, 0.5)
        assert abs(bench.emulator.motion()[0][0] - 1.0) > 0.1


def test_setting_up_gives_no_pulses():
    with Bench(LEGS) as bench:
        bench.ready(enable=False)
        assert bench.emulator.torque() == (False, False, False)
        bench.bus.enable()
        assert bench.emulator.torque() == (True, True, True)
        assert bench.bus.release() == ()
        assert bench.emulator.torque() == (False, False, False)


def test_the_servos_rest_is_taken_for_the_start():
    with Bench([servo(rest_deg=30.0)], start=math.radians(30.0)) as bench:
        bench.ready(enable=False)
        assert bench.bus.read()[0].position == pytest.approx(math.radians(30.0), abs=0.51 * STEP)
        bench.bus.enable()
        bench.sleep(0.5)
        assert bench.emulator.motion()[0][0] == pytest.approx(math.radians(30.0), abs=0.51 * STEP)


def test_pulses_outlive_a_killed_driver_and_tell_the_next_one_where_the_joints_are():
    with Bench() as bench:
        bench.ready()
        bench.hold(0.9, 0.5)
        again = bench.driver()  # the first one is never heard of again
        bench.sleep(10.0)
        assert bench.emulator.torque() == (True,), "the board has no watchdog"
        again.open()
        again.configure(bench.joints)
        assert bench.emulator.torque() == (False,)
        assert again.read()[0].position == pytest.approx(0.9, abs=1.02 * STEP)
        again.close()


def test_a_joint_that_was_left_beyond_its_limits_starts_at_the_limit():
    with Bench() as bench:
        bench.ready()
        bench.hold(1.3, 0.5)
        again = bench.driver()
        again.open()
        again.configure([replace(bench.joints[0], upper=1.0)])
        assert again.read()[0].position == pytest.approx(1.0, abs=0.51 * STEP)
        again.close()


def test_clear_keeps_what_is_known_of_the_joints():
    with Bench() as bench:
        bench.ready()
        bench.hold(0.9, 0.5)
        bench.bus.clear()
        assert bench.emulator.torque() == (False,)
        assert bench.bus.read()[0].position == pytest.approx(0.9, abs=0.51 * STEP)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("lost", "has not answered"),
        ("late", "has not answered"),
        ("truncated", "does not keep its pulse"),
        ("dead", "has not answered"),
        ("corrupt", "answers garbled"),
    ],
)
def test_a_board_that_fails_is_a_fault_with_joint_cause_and_remedy(fault, said):
    with Bench(LEGS) as bench:
        bench.ready()
        bench.hold(0.3, 0.2)
        bench.emulator.inject(fault)
        bench.hold(0.3, 5.0)
        assert bench.fault is not None, "it was never noticed"
        assert said in str(bench.fault)
        assert bench.fault.joint == "left"
        assert " " in bench.fault.remedy


def test_one_transfer_without_acknowledge_is_tried_again(monkeypatch):
    with Bench() as bench:
        transfer, count = bench.emulator._transfer, [0]

        def flaky(address):
            count[0] += 1
            if count[0] % 3 == 0:
                raise OSError(errno.EREMOTEIO, "Remote I/O error")
            transfer(address)

        monkeypatch.setattr(bench.emulator, "_transfer", flaky)
        bench.ready()
        bench.hold(0.5, 1.0)
        assert bench.fault is None
        assert bench.emulator.motion()[0][0] == pytest.approx(0.5, abs=0.51 * STEP)


def test_a_board_that_restarts_is_told():
    with Bench() as bench:
        bench.ready()
        bench.board.power_on()
        bench.hold(0.1, 1.0)
        assert "its PWM board has restarted and gives no pulses" in str(bench.fault)
        assert bench.fault.joint == "hip"
        bench.bus.clear()
        bench.bus.enable()
        assert bench.emulator.torque() == (True,)


def test_a_channel_that_loses_its_pulse_is_written_again():
    with Bench(LEGS) as bench:
        bench.ready()
        bench.hold(0.2, 0.1)
        bench.board.write(r.led(1), b"\x00\x00\x00\x10")
        assert bench.emulator.torque() == (True, False, True)
        bench.tick(0.2)
        assert bench.emulator.torque() == (True, True, True)


def test_a_channel_that_does_not_keep_its_pulse_is_a_fault_of_its_joint(monkeypatch):
    with Bench(LEGS) as bench:
        bench.ready()
        write = bench.board.write

        def stuck(register, data):
            write(register, data)
            write(r.led(1), b"\x00\x00\x11\x01")

        monkeypatch.setattr(bench.board, "write", stuck)
        bench.hold(0.2, 1.0)
        assert bench.fault.joint == "right"
        assert "channel 1 of its PWM board does not keep its pulse" in str(bench.fault)
        failed = bench.bus.release()
        assert [one.joint for one in failed] == ["right"]
        assert "could not be switched off: its channel keeps its pulse" in str(failed[0])
        assert bench.emulator.torque() == (False, True, False), "the others are off all the same"


def test_torque_off_reaches_every_joint_where_the_common_switch_fails(monkeypatch):
    with Bench(LEGS) as bench:
        bench.ready()
        write = I2cPort.write

        def deaf(port, address, register, data):
            if register != r.ALL_LED_OFF_H:
                write(port, address, register, data)

        monkeypatch.setattr(I2cPort, "write", deaf)
        assert bench.bus.release() == ()
        assert bench.emulator.torque() == (False, False, False)


def test_torque_off_takes_one_transfer_for_all(monkeypatch):
    with Bench(LEGS) as bench:
        bench.ready()
        monkeypatch.setattr(PwmBoard, "off", lambda board, channel: None)
        assert bench.bus.release() == ()
        assert bench.emulator.torque() == (False, False, False)


def test_torque_off_is_sure_of_a_board_that_has_restarted():
    with Bench(LEGS) as bench:
        bench.ready()
        bench.board.power_on()  # without auto-increment, where a block reads one register again and again
        assert bench.bus.release() == ()


def test_torque_off_names_every_joint_that_it_could_not_reach():
    with Bench(LEGS) as bench:
        bench.ready()
        bench.emulator.inject("lost")
        failed = bench.bus.release()
        assert [one.joint for one in failed] == ["left", "right", "tail"]
        assert all(one.remedy == "switch the power of the motors off" for one in failed)


def test_a_bus_that_vanishes_is_a_fault_and_comes_back():
    with Bench(LEGS) as bench:
        bench.ready()
        bench.emulator.inject("gone")
        with pytest.raises(BusFault, match=f"the I2C bus {bench.emulator.port} has failed") as caught:
            bench.bus.read()
        assert "call reset and enable" in caught.value.remedy
        with pytest.raises(BusFault, match="there is no I2C bus"):
            bench.bus.write(np.zeros(3), np.zeros(3), np.zeros(3))
        assert len(bench.bus.release()) == 3
        bench.emulator.inject("none")
        bench.bus.clear()
        assert bench.emulator.torque() == (False, False, False)
        bench.bus.enable()
        assert bench.emulator.torque() == (True, True, True)


def test_a_board_that_does_not_confirm_leaves_all_without_pulses():
    with Bench(LEGS) as bench:
        bench.ready(enable=False)
        bench.emulator.inject("lost")
        with pytest.raises(BusFault, match="the PCA9685 at address 0x40") as caught:
            bench.bus.enable()
        assert "pull-ups" in caught.value.remedy
        bench.emulator.inject("none")
        assert bench.emulator.torque() == (False, False, False)


# before torque


def _refusal(bench):
    with pytest.raises(UserError) as refused:
        bench.bus.configure(bench.joints)
    said = str(refused.value)
    assert "\n" not in said
    assert said.endswith(".")
    assert not any(bench.emulator.torque())
    return said


def test_a_wrong_address_is_told_with_the_right_one():
    with Bench(address=0x43) as bench:
        assert "at address 0x40" in _refusal(bench)
        assert "but there is one at 0x43: set hardware.buses.<name>.address" in _refusal(bench)
        assert [device.id for device in bench.bus.scan()] == [0x43]


def test_scan_shows_the_channels_that_joints_are_on():
    with Bench() as bench:
        assert [device.id for device in bench.bus.scan()] == list(range(16))


def test_an_empty_bus_is_told():
    with Bench() as bench:
        bench.emulator.inject("lost")
        assert "nor does one at another address: check the I2C wires" in _refusal(bench)


def test_a_chip_that_is_no_pca9685_is_told():
    with Bench() as bench:
        bench.board.write(r.ALLCALLADR, b"\x12")
        assert "is no PCA9685" in _refusal(bench)


def test_a_limit_out_of_range_is_told():
    with Bench([servo(upper=2.0)]) as bench:
        assert "narrow the joint's limits" in _refusal(bench)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "enable I2C in the computer's set-up"),
        (PermissionError(errno.EACCES, "Permission denied"), "run 'sudo usermod -aG i2c $USER', then log out and in"),
        (OSError(errno.ENOTTY, "Inappropriate ioctl for device"), "is no I2C bus: take one of those"),
        (OSError(errno.EBUSY, "Device or resource busy"), "cannot be opened (Device or resource busy)"),
    ],
)
def test_a_bus_that_cannot_be_opened_is_one_sentence(monkeypatch, error, said):
    def refuse(path):
        raise error

    monkeypatch.setattr(smbus2, "SMBus", refuse)
    with pytest.raises(UserError) as refused:
        Pca9685Bus("servos", SETTINGS).open()
    assert said in str(refused.value)
    assert "/dev/i2c-1" in str(refused.value)


def test_a_device_file_that_is_not_there_is_one_sentence():
    with pytest.raises(UserError, match="there is no I2C bus /dev/i2c-nowhere"):
        Pca9685Bus("servos", replace(SETTINGS, port="/dev/i2c-nowhere")).open()


def test_a_file_that_is_no_bus_is_one_sentence():
    with pytest.raises(UserError, match="/dev/null is no I2C bus"):
        Pca9685Bus("servos", replace(SETTINGS, port="/dev/null")).open()


def test_a_closed_bus_says_so():
    bus = Pca9685Bus("servos", SETTINGS)
    with pytest.raises(BusFault, match="is not open"):
        bus.read()
    bus.close()
    bus.close()
