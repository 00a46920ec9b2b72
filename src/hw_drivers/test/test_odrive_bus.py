"""The driver on emulated drives: setting up, moving, holding and letting go, in a time of the test's own."""

import math
import socket
from dataclasses import replace
from pathlib import Path

import can
import numpy as np
import pytest
from odrive_bench import SETTINGS, TICK, Bench, crank

from hw_drivers.bus.bus import Source
from hw_drivers.odrive.emulated_axis import AxisHardware, EmulatedAxis
from hw_drivers.odrive.emulator import OdriveEmulator
from hw_drivers.odrive.messages import (
    AxisState,
    ControlMode,
    GetIq,
    Reboot,
    SetAxisState,
    SetControllerMode,
    SetInputTorque,
    SetLimits,
)
from hw_drivers.odrive.odrive_bus import OdriveBus


def test_scan_shows_every_drive_with_its_firmware_and_serial_number():
    with Bench([crank("a", 1), crank("b", 17)]) as bench:
        found = bench.bus.scan()
    assert [device.id for device in found] == [1, 17]
    assert "firmware 0.6.10" in found[0].detail
    assert "serial number 020000000001" in found[0].detail


def test_setting_up_moves_nothing_and_takes_the_torque_off():
    with Bench() as bench:
        bench.axes[0].handle(SetAxisState(AxisState.CLOSED_LOOP_CONTROL), bench.now)
        assert bench.emulator.torque() == (True,)
        bench.ready(enable=False)
        assert bench.emulator.torque() == (False,)
        reading = bench.look()[0]
        assert reading.position == pytest.approx(0.5, abs=1e-6), "a float of 4 bytes is good for 1e-7 turns here"
        assert reading.source is Source.MEASURED
        assert (reading.temperature, reading.voltage) == (30.0, 24.0)
        assert reading.errors == ()


@pytest.mark.parametrize("mode", ["position", "velocity", "torque"])
def test_a_joint_follows_a_sine(mode):
    with Bench([crank(mode=mode)]) as bench:
        bench.ready()
        start, worst = bench.bus.read()[0].position, 0.0
        for k in range(1, 401):
            t = k * TICK
            readings = bench.tick(start + 0.5 * (1.0 - math.cos(3.0 * t)), 1.5 * math.sin(3.0 * t))
            worst = max(worst, abs(readings[0].position - start - 0.5 * (1.0 - math.cos(3.0 * t))))
        assert bench.fault is None
        # an estimate is up to 10 ms old at up to 1.5 rad/s, and the loops that are closed here lag as much again
        assert worst < 0.03
        angles, rates = bench.emulator.motion()
        assert readings[0].position == pytest.approx(angles[0], abs=0.02)
        assert readings[0].velocity == pytest.approx(rates[0], abs=0.15)


def test_a_crank_turns_on_and_on():
    with Bench([crank("a", 1), crank("b", 2, wrap=16.0)], start=0.0) as bench:
        bench.ready()
        here = np.array([reading.position for reading in bench.bus.read()])
        speed, ticks = 9.0, 1000
        for k in range(ticks):
            readings = bench.tick(here + speed * (k + 1) * TICK, speed)
        assert bench.fault is None
        turned = np.array([reading.position for reading in readings]) - here
        # 45 rad are 57 turns of the motor: the one that wraps has done so three times
        assert turned == pytest.approx(speed * ticks * TICK, abs=0.15)
        assert readings[0].velocity == pytest.approx(speed, rel=0.02)


def test_enabling_does_not_move_the_joints():
    with Bench(start=2.0) as bench:
        bench.ready()
        for _ in range(100):
            bench.look()
            bench.bus.keep_alive()
        assert bench.emulator.torque() == (True,)
        assert bench.emulator.motion()[0][0] == pytest.approx(2.0, abs=1e-4)


def test_enabling_sends_mode_and_limits_even_to_a_drive_that_has_forgotten_them():
    with Bench([crank(mode="velocity")]) as bench:
        bench.ready(enable=False)
        bench.axes[0].handle(Reboot(0), bench.now)
        bench.sleep(1.0)
        bench.bus.enable()
        assert bench.axes[0].mode == ControlMode.VELOCITY
        # 10 rad/s are 12.7 turns/s behind a gear of 8, and a quarter more; 1.5 N·m are 3.75 A
        assert bench.axes[0].limits.velocity == pytest.approx(15.9, abs=0.02)
        assert bench.axes[0].limits.current == pytest.approx(3.75)


def test_a_setpoint_that_was_written_before_counts_after():
    with Bench(start=1.0) as bench:
        bench.ready(enable=False)
        bench.bus.write(np.array([1.1]), np.zeros(1), np.full(1, np.nan))
        assert bench.emulator.motion()[0][0] == pytest.approx(1.0)
        bench.bus.enable()
        for _ in range(100):
            bench.look()
            bench.bus.keep_alive()
        assert bench.emulator.motion()[0][0] == pytest.approx(1.1, abs=1e-3)


def test_release_takes_the_torque_off_and_again_enable_brings_it():
    with Bench([crank("a", 1), crank("b", 2)]) as bench:
        bench.ready()
        assert bench.emulator.torque() == (True, True)
        assert bench.bus.release() == ()
        assert bench.emulator.torque() == (False, False)
        bench.bus.enable()
        assert bench.emulator.torque() == (True, True)


def test_the_drives_watchdog_takes_the_torque_off_when_the_driver_is_killed():
    with Bench() as bench:
        bench.ready()
        bench.hold(1.0)
        killed = bench.now
        while bench.emulator.torque()[0]:
            assert bench.now < killed + 1.0, "the watchdog never bit"
            bench.sleep(0.01)
        assert bench.now - killed == pytest.approx(SETTINGS.watchdog, abs=0.02)
        # the next driver takes the robot over as it is
        again = OdriveBus("can", replace(SETTINGS, port=bench.emulator.port), clock=bench.clock, sleep=bench.sleep)
        again.open()
        again.configure(bench.joints)
        assert again.read()[0].errors == ()
        again.enable()
        assert bench.emulator.torque() == (True,)
        again.close()


def test_the_torque_comes_on_whenever_the_watchdog_bit_before():
    """Also where no heartbeat has told yet that it did: those come every 0.1 s."""
    for ticks in range(80, 125, 2):
        with Bench((crank("left", 1), crank("right", 2))) as bench:
            bench.ready(enable=False)
            for _ in range(ticks):
                bench.look()
            bench.bus.enable()
            assert bench.emulator.torque() == (True, True)
            bench.hold(0.2)
            assert bench.fault is None


def test_cycles_feed_the_watchdog_and_so_does_keep_alive():
    with Bench() as bench:
        bench.ready()
        bench.hold(2.0)
        assert bench.emulator.torque() == (True,)
        for _ in range(400):
            bench.bus.keep_alive()
            bench.look()
        assert bench.emulator.torque() == (True,)
        assert bench.fault is None


def test_temperature_voltage_and_effort_are_reported():
    with Bench([crank("a", 1), crank("b", 2)]) as bench:
        bench.ready()
        bench.hold(1.0)
        for reading in bench.bus.read():
            assert reading.temperature == pytest.approx(30.0)
            assert reading.voltage == pytest.approx(24.0)
            assert abs(reading.effort) < 0.01


def test_a_torque_is_not_told_for_longer_than_it_is_known():
    with Bench() as bench:
        bench.ready()
        assert math.isfinite(bench.look()[0].effort)
        bench.axes[0]._due.pop(GetIq)
        bench.hold(0.2)
        assert bench.fault is None
        assert math.isnan(bench.look()[0].effort)


def test_torque_accelerates_the_motor_as_newton_says():
    hardware = AxisHardware(1, inertia=1e-3, torque_constant=0.1, max_torque=1.0, watchdog=0.0)
    axis = EmulatedAxis(hardware, 0.0, 0.0)
    for message in (SetControllerMode(1, 1), SetLimits(100.0, 10.0), SetInputTorque(0.5), SetAxisState(8)):
        axis.handle(message, 0.0)
    axis.advance(0.005)
    # 0.5 N·m on 1e-3 kg·m² are 500 rad/s²; friction takes less than a tenth in a tenth of its time constant
    assert axis.rate == pytest.approx(500.0 * 0.005 / (2.0 * math.pi), rel=0.1)


def test_the_emulated_drive_keeps_its_limits():
    axis = EmulatedAxis(AxisHardware(1, inertia=1e-3, torque_constant=0.1, max_torque=1.0, watchdog=0.0), 0.0, 0.0)
    for message in (SetControllerMode(1, 1), SetLimits(100.0, 2.0), SetInputTorque(0.9), SetAxisState(8)):
        axis.handle(message, 0.0)
    axis.advance(0.01)
    answer = axis.answer(0x14)
    assert isinstance(answer, GetIq)
    assert answer.measured == pytest.approx(2.0)


def test_frames_of_others_and_garbage_do_no_harm():
    with Bench() as bench:
        bench.ready()
        noise = can.Bus(interface="virtual", channel=bench.emulator.port.partition(":")[2], ignore_config=True)
        rng = np.random.default_rng(7)
        here = bench.bus.read()[0].position
        for _ in range(300):
            data = rng.bytes(int(rng.integers(0, 9)))
            ident = int(rng.choice([5, 9, 40])) << 5 | int(rng.integers(32))
            noise.send(can.Message(arbitration_id=ident, data=data, is_extended_id=False))
            noise.send(can.Message(arbitration_id=1 << 5 | 9, data=data[:7], is_extended_id=False))
            noise.send(can.Message(arbitration_id=1 << 5 | 9, data=bytes(8), is_extended_id=True))
            bench.tick(here)
        before = bench.bus.read()[0].position
        noise.send(can.Message(arbitration_id=1 << 5 | 9, data=bytes(8), is_extended_id=True))
        assert bench.bus.read()[0].position == before
        noise.shutdown()
        assert bench.fault is None
        assert bench.bus.read()[0].position == pytest.approx(here, abs=1e-3)


def test_it_works_on_python_cans_own_virtual_interface():
    now, joint = [0.0], crank()
    wire = can.Bus(interface="virtual", channel="bench", ignore_config=True)
    axis = EmulatedAxis(AxisHardware(1), joint.to_motor(0.25) / (2.0 * math.pi), 0.0)
    emulator = OdriveEmulator([axis], [joint], bus=wire, port="virtual:bench", clock=lambda: now[0])
    _enable_and_release(emulator, joint, now)


@pytest.mark.skipif(
    not hasattr(socket, "AF_CAN") or not Path("/sys/class/net/vcan0").exists(),
    reason="no vcan0: 'ip link add vcan0 type vcan && ip link set vcan0 up' makes one",
)
def test_it_works_on_socketcan():
    now, joint = [0.0], crank()
    wire = can.Bus(interface="socketcan", channel="vcan0", ignore_config=True)
    axis = EmulatedAxis(AxisHardware(1), joint.to_motor(0.25) / (2.0 * math.pi), 0.0)
    emulator = OdriveEmulator([axis], [joint], bus=wire, port="vcan0", clock=lambda: now[0])
    _enable_and_release(emulator, joint, now)


def _enable_and_release(emulator, joint, now):
    def sleep(seconds):
        now[0] += seconds
        emulator.advance()

    bus = OdriveBus("can", replace(SETTINGS, port=emulator.port), clock=lambda: now[0], sleep=sleep)
    bus.open()
    bus.configure([joint])
    bus.enable()
    assert emulator.torque() == (True,)
    assert bus.read()[0].position == pytest.approx(0.25, abs=1e-5)
    assert bus.release() == ()
    assert emulator.torque() == (False,)
    bus.close()
    emulator.close()
