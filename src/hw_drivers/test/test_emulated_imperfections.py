"""The imperfections of a robot file in emulated devices: what lags, plays, sticks, is late, is wrong or is lost."""

import math
from dataclasses import replace

import numpy as np
import pytest
from board_bench import SETTINGS as BOARD
from board_bench import crank as board_crank
from hw_robots import gymnast, three_link
from odrive_bench import SETTINGS as ODRIVE
from odrive_bench import crank

from crawler_core.reality.reality import IDEAL, Reality
from hw_drivers.board import emulator as board
from hw_drivers.board.board_bus import BoardBus
from hw_drivers.dynamixel.tables import RAD_PER_TICK
from hw_drivers.emulation.effort_drive import EffortDrive
from hw_drivers.emulation.emulated_backend import EmulatedBackend
from hw_drivers.emulation.emulated_encoder import EmulatedEncoder
from hw_drivers.emulation.emulated_settings import EmulatedSettings
from hw_drivers.emulation.position_servo import PositionServo
from hw_drivers.emulation.virtual_clock import VirtualClock
from hw_drivers.odrive import emulator as odrive
from hw_drivers.odrive.odrive_bus import OdriveBus

W = 40.0  # rad/s


def servo(**reality):
    motion = PositionServo(0.0, 0.0, 100.0, Reality(bandwidth=W, **reality))
    motion.hold(0.0)
    return motion


def test_a_servo_settles_as_a_critically_damped_loop_does_after_its_delay():
    motion = servo(command_delay=0.004)
    motion.aim(0.1, 0.0)
    motion.advance(0.004)
    assert motion.angle == 0.0
    motion.advance(0.054)
    left = (1.0 + W * 0.05) * math.exp(-W * 0.05)
    assert motion.angle == pytest.approx(0.1 * (1.0 - left))
    assert motion.rate == pytest.approx(0.1 * W * W * 0.05 * math.exp(-W * 0.05))


def test_a_servo_does_not_depend_on_how_often_it_is_looked_at():
    often, seldom = servo(backlash=0.01), servo(backlash=0.01)
    for k in range(1, 201):
        if k % 10 == 1:
            often.aim(0.01 * k, often._now)
            seldom.aim(0.01 * k, seldom._now)
        often.advance(1e-3 * k)
        if k % 10 == 0:
            seldom.advance(1e-3 * k)
    assert seldom.angle == pytest.approx(often.angle, rel=1e-9)
    assert seldom.link_angle == pytest.approx(often.link_angle, rel=1e-6)


def test_an_interpolated_goal_is_followed_evenly():
    smooth, steps = servo(interpolated=True), servo()
    rates = {motion: [] for motion in (smooth, steps)}
    for k in range(100):
        for motion, seen in rates.items():
            motion.aim(0.02 * k, 0.02 * k)
            motion.advance(0.02 * (k + 0.5))
            seen.append(motion.rate)
            motion.advance(0.02 * (k + 1))
            seen.append(motion.rate)
    assert np.ptp(rates[smooth][-20:]) < 1e-3
    assert np.ptp(rates[steps][-20:]) > 0.05


def test_a_link_follows_once_the_teeth_touch_and_the_other_way_after_all_of_the_play():
    motion = servo(backlash=0.02)
    motion.aim(0.1, 0.0)
    motion.advance(1.0)
    assert motion.angle == pytest.approx(0.1)
    there = motion.link_angle
    assert 0.09 - 1e-6 <= there <= 0.11  # pushed by the teeth behind it; it may run on within the play
    motion.aim(-0.1, 1.0)
    motion.advance(2.0)
    assert -0.11 <= motion.link_angle <= -0.09 + 1e-6
    slow = servo(backlash=0.02)
    for k in range(100):
        slow.aim(1e-3 * k, 0.02 * k)
        slow.advance(0.02 * (k + 1))
    assert slow.angle - slow.link_angle == pytest.approx(0.01, abs=1e-3)


def test_a_dead_band_leaves_an_error():
    motion = servo()
    motion.dead_band = 0.03
    motion.aim(0.1, 0.0)
    motion.advance(1.0)
    assert motion.angle == pytest.approx(0.07)


def test_an_encoder_is_late_noisy_and_wrong_by_a_constant():
    exact = EmulatedEncoder(IDEAL, "hip", 0)
    late = EmulatedEncoder(Reality(state_delay=0.005), "hip", 0)
    wrong = EmulatedEncoder(Reality(zero_error=0.02, position_noise=0.001, velocity_noise=0.1), "hip", 0)
    seen = []
    for k in range(2000):
        for one in (exact, late, wrong):
            one.record(0.001 * k, 0.003 * k, 3.0)
        seen.append(np.subtract(wrong.measure(0.001 * k), (0.003 * k, 3.0)))
    assert exact.measure(1.999) == pytest.approx((5.997, 3.0))
    assert late.measure(1.999) == pytest.approx((5.997 - 0.015, 3.0))
    assert late.measure(1.9994) == pytest.approx((5.997 - 0.0138, 3.0))
    assert np.mean(seen, axis=0) == pytest.approx([wrong.zero_error, 0.0], abs=0.01)
    assert wrong.zero_error != 0.0
    assert np.std(seen, axis=0) == pytest.approx([0.001, 0.1], rel=0.1)
    rounded = EmulatedEncoder(Reality(encoder_counts=1000, velocity_step=0.5), "hip", 0)
    rounded.record(0.0, 0.01, 0.8)
    assert rounded.measure_rounded(0.0) == pytest.approx((math.tau * 2 / 1000, 1.0))


def test_a_torque_is_late_lags_and_is_limited():
    step = 1e-3
    drive = EffortDrive(Reality(command_delay=0.002, current_bandwidth=100.0, torque_share=0.8), 2.0, 10.0, step)
    torques = [drive.follow(drive.delayed(5.0)) for _ in range(200)]
    assert torques[:2] == [0.0, 0.0]
    assert torques[2 + 9] == pytest.approx(1.6 * (1.0 - math.exp(-1.0)))
    assert torques[-1] == pytest.approx(1.6, rel=1e-6)
    drive.switch_off()
    assert drive.torque == 0.0
    sticky = EffortDrive(Reality(gear_friction=0.3), 2.0, 10.0, step)
    assert sticky.friction(5.0) == pytest.approx(0.3)
    assert sticky.friction(-5.0) == pytest.approx(-0.3)
    assert sticky.friction(0.0) == 0.0


def speed_after(kind, bus, joint, settings, reality):
    """Push with the same effort for 20 ms; return the joint's true speed (rad/s) and what its device says."""
    clock = VirtualClock()
    emulator = kind.emulate(settings, [joint], [0.5], clock=clock, reality=reality)
    driver = bus("bus", replace(settings, port=emulator.port), **emulator.driver_options())
    driver.open()
    try:
        driver.configure([joint])
        driver.write(np.array([0.5]), np.zeros(1), np.full(1, np.nan))
        driver.enable()
        for _ in range(4):
            driver.write(np.array([np.nan]), np.array([np.nan]), np.array([0.1]))
            (reading,) = driver.read()
            clock.sleep(0.005)
        return emulator.motion()[1][0], reading.velocity
    finally:
        driver.close()
        emulator.close()


@pytest.mark.parametrize(
    ("kind", "bus", "joint", "settings"),
    [
        (odrive, OdriveBus, crank(mode="torque", is_effort_driven=True), ODRIVE),
        (board, BoardBus, board_crank(is_effort_driven=True, regulated=False), BOARD),
    ],
)
def test_motors_that_are_driven_by_effort_lose_by_friction_lag_and_delay(kind, bus, joint, settings):
    ideal, _ = speed_after(kind, bus, joint, settings, IDEAL)
    assert ideal > 0.5
    for reality in (
        Reality(gear_friction=0.05),
        Reality(current_bandwidth=50.0),
        Reality(command_delay=0.01),
        Reality(torque_share=0.05),
    ):
        assert speed_after(kind, bus, joint, settings, reality)[0] < 0.97 * ideal, reality
    true, measured = speed_after(kind, bus, joint, settings, Reality(state_delay=0.01))
    assert true == pytest.approx(ideal, rel=0.05)
    assert measured < 0.95 * true  # of a while ago


def test_a_zero_error_is_in_the_readings_and_not_in_the_truth():
    backend = EmulatedBackend(three_link(), EmulatedSettings(), 0.01)
    backend.set_reality(Reality(zero_error=0.05), 1)
    backend.open()
    try:
        home = [joint.home for joint in three_link().actuated]
        seen = backend.observe().position
        assert np.abs(seen - home).max() > 0.01
        assert list(backend.emulation.motion()[0].values()) == pytest.approx(home, abs=2 * RAD_PER_TICK)
    finally:
        backend.close()


def test_frames_that_are_lost_leave_old_estimates():
    backend = EmulatedBackend(gymnast(), EmulatedSettings(patience=1.0), 0.01)
    backend.set_reality(Reality(loss=0.2), 2)
    backend.open()
    try:
        times = set()
        for _ in range(100):
            backend.advance(0.01)
            backend.observe()
            times.add(backend.readings()["crank"].time)
        assert 65 <= len(times) <= 95
    finally:
        backend.close()
