"""Prescaler, counts and calibration against the data sheet's numbers and numbers worked out by hand."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pca9685_bench import SETTINGS, servo

from crawler_core.errors import UserError
from hw_drivers.pca9685.plan import count_time, plan_servo, prescale, pulse_count, pulse_registers
from hw_drivers.pca9685.registers import led


@pytest.mark.parametrize(
    ("frequency", "oscillator", "value"),
    [
        (200.0, 25e6, 0x1E),  # the data sheet's example
        (50.0, 25e6, 0x79),
        (60.0, 25e6, 101),
        (50.0, 26.5e6, 128),
        (24.0, 25e6, 253),
        (1526.0, 25e6, 3),
    ],
)
def test_known_prescalers(frequency, oscillator, value):
    assert prescale(frequency, oscillator) == value


@pytest.mark.parametrize("frequency", [23.0, 2000.0])
def test_a_frequency_that_the_board_cannot_do_is_refused(frequency):
    with pytest.raises(UserError, match=r"the board has 23\.8 to 1526 Hz"):
        prescale(frequency, 25e6)


def test_known_pulses():
    plan = plan_servo(servo(), SETTINGS)
    # at 50 Hz a step takes 122 / 25 MHz = 4.88 µs
    assert plan.step == pytest.approx(4.88e-6)
    assert plan.count(0.0) == 307  # 1500 µs
    assert plan.count(math.radians(-80.0)) == 125  # 611.1 µs
    assert plan.count(math.radians(80.0)) == 490  # 2388.9 µs
    assert pulse_registers(307) == bytes([0, 0, 0x33, 0x01])


def test_a_calibration_shifts_scales_and_turns_round():
    joint = servo(low_us=900.0, high_us=2100.0, low_deg=-60.0, high_deg=60.0, trim_us=30.0, lower=-0.5, upper=0.5)
    assert plan_servo(joint, SETTINGS).pulse(math.radians(20.0)) == pytest.approx(1500.0 + 200.0 + 30.0)
    turned = replace(joint, direction=-1, zero=math.radians(10.0))
    assert plan_servo(turned, SETTINGS).pulse(math.radians(20.0)) == pytest.approx(1500.0 - 100.0 + 30.0)
    mirrored = servo(low_us=2100.0, high_us=900.0, low_deg=-60.0, high_deg=60.0, lower=-0.5, upper=0.5)
    assert plan_servo(mirrored, SETTINGS).pulse(math.radians(20.0)) == pytest.approx(1500.0 - 200.0)


@given(st.floats(-1e6, 1e6))
def test_no_pulse_is_beyond_the_calibrated_ones(angle):
    plan = plan_servo(servo(), SETTINGS)
    assert 500.0 <= plan.pulse(angle) <= 2500.0


@given(st.floats(-1.39, 1.39), st.sampled_from([-1, 1]), st.floats(24e6, 27e6), st.sampled_from([50.0, 200.0, 333.0]))
def test_an_angle_comes_back_to_half_a_step(angle, direction, oscillator, frequency):
    plan = plan_servo(servo(direction=direction), replace(SETTINGS, oscillator=oscillator, frequency=frequency))
    step = math.pi * plan.step / 2e-3  # rad: half a turn in 2 ms
    assert plan.angle(plan.count(angle)) == pytest.approx(angle, abs=0.51 * step)


@given(st.integers(1, 4095))
def test_counts_survive_the_registers(count):
    assert pulse_count(pulse_registers(count)) == count


@pytest.mark.parametrize("registers", [bytes([0, 0, 0, 0x10]), bytes([0, 0x10, 0x33, 1]), bytes(4)])
def test_a_channel_that_is_off_or_always_on_gives_no_pulses(registers):
    assert pulse_count(registers) is None


def test_a_finer_oscillator_changes_the_counts_and_not_the_time():
    for oscillator in (24e6, 25e6, 26.3e6):
        plan = plan_servo(servo(), replace(SETTINGS, oscillator=oscillator))
        assert plan.count(0.0) * count_time(prescale(50.0, oscillator), oscillator) == pytest.approx(1.5e-3, abs=2.5e-6)


def test_channels_lie_where_the_data_sheet_has_them():
    assert (led(0), led(1), led(15)) == (0x06, 0x0A, 0x42)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"channel": 16}, "the board has the channels 0 to 15"),
        ({"lower": -math.inf, "upper": math.inf}, "a hobby servo cannot turn for ever"),
        ({"low_deg": 90.0, "high_deg": -90.0}, "must be less than high_deg"),
        ({"low_us": 1500.0, "high_us": 1500.0}, "are both 1500"),
        ({"upper": math.radians(95.0)}, "hip may go to 95.0 degrees, which is 95.0 at the servo"),
        ({"gear": 2.0}, "hip may go to -80.0 degrees, which is -160.0 at the servo"),
        ({"rest_deg": 85.0}, "rest_deg = 85 must be the angle at which the joint rests"),
        ({"trim_us": -500.0}, "must lie between 0 and"),
    ],
)
def test_numbers_that_a_servo_cannot_take_are_refused_in_one_sentence(changes, said):
    with pytest.raises(UserError) as refusal:
        plan_servo(servo(**changes), SETTINGS)
    assert said in str(refusal.value)
    assert str(refusal.value).endswith(".")
    assert "\n" not in str(refusal.value)


def test_pulses_that_are_longer_than_the_cycle_are_refused():
    with pytest.raises(UserError, match="the time between two of them"):
        plan_servo(servo(), replace(SETTINGS, frequency=400.0))
