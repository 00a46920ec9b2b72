"""The numbers that the paper prints or draws, and those that two earlier independent solvers agreed on to 4e-9 mm."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from three_link_cases import HARD, SOFT, Harmonic, robot

from crawler_models.three_link import crawl

STEPS = {0.3: 193.8774, 1.0: 159.8147, 3.2: 23.0822, 8.0: 2.8304, 16.0: 7.3171}  # rad/s: mm


def step_mm(motion, **changes):
    return 1e3 * crawl(robot(**changes), motion).step_length


@pytest.mark.parametrize(("omega", "expected"), STEPS.items())
def test_step_length_of_the_nominal_gait(omega, expected):
    result = crawl(robot(), Harmonic(omega))
    assert result.valid, result.reason
    assert result.unique
    assert 1e3 * result.step_length == pytest.approx(expected, abs=1e-3)
    assert result.speed == pytest.approx(result.step_length * omega / (2 * math.pi), rel=1e-12)


@pytest.mark.parametrize(
    ("omega", "expected"),
    [
        (0.3, [(0.25, (1, -1)), (0.2986, (0, -1)), (0.75, (-1, 1)), (0.7584, (-1, 0))]),
        (16.0, [(0.2404, (1, 1)), (0.2554, (1, -1)), (0.7206, (-1, -1)), (0.7734, (-1, 1))]),
    ],
)
def test_contact_modes_switch_when_they_should(omega, expected):
    switches = crawl(robot(), Harmonic(omega)).switches
    assert [mode for _, mode in switches] == [mode for _, mode in expected]
    # The references carry four digits.
    assert [phase for phase, _ in switches] == pytest.approx([phase for phase, _ in expected], abs=2e-4)


def test_robot_walks_backwards_only_between_5_11_and_6_13_rad_per_s():
    signs = {omega: math.copysign(1, step_mm(Harmonic(omega))) for omega in (4.0, 5.10, 5.12, 6.12, 6.15, 8.0)}
    assert signs == {4.0: 1, 5.10: 1, 5.12: -1, 6.12: -1, 6.15: 1, 8.0: 1}


def test_speed_peaks_near_1_34_and_bottoms_near_5_54_rad_per_s():
    def speed(omega):
        return crawl(robot(), Harmonic(omega)).speed

    peak = minimize_scalar(lambda w: -speed(w), bounds=(1.0, 2.0), method="bounded", options={"xatol": 1e-3})
    bottom = minimize_scalar(speed, bounds=(5.2, 6.0), method="bounded", options={"xatol": 1e-3})
    assert peak.x == pytest.approx(1.34, abs=0.01)  # references of three digits
    assert bottom.x == pytest.approx(5.54, abs=0.01)
    assert speed(5.54) < speed(8.0) < speed(12.0) < speed(16.0)


def test_flat_robot_on_soft_tips_reverses_between_5_1_and_13_0_rad_per_s():
    signs = {w: math.copysign(1, step_mm(Harmonic(w, phi0=145.0), friction=SOFT)) for w in (5.0, 5.2, 9, 12.9, 13.1)}
    assert signs == {5.0: 1, 5.2: -1, 9: -1, 12.9: -1, 13.1: 1}


def test_flat_robot_on_soft_tips_loses_contact_above_18_3_rad_per_s():
    assert crawl(robot(friction=SOFT), Harmonic(18.2, phi0=145.0)).valid
    lost = crawl(robot(friction=SOFT), Harmonic(18.4, phi0=145.0))
    assert not lost.valid
    assert "leaves the ground" in lost.reason
    assert math.isnan(lost.step_length)


@pytest.mark.parametrize(("omega", "expected"), [(9.0, 124.0), (20.0, 114.0)])
def test_best_phase_difference_at_high_frequency(omega, expected):
    best = minimize_scalar(
        lambda psi: -step_mm(Harmonic(omega, psi=psi)), bounds=(100.0, 140.0), method="bounded", options={"xatol": 0.1}
    )
    assert best.x == pytest.approx(expected, abs=0.6)  # references in whole degrees


def test_best_phase_difference_tends_to_zero_at_low_frequency():
    phases = (1.0, 2.0, 4.0, 8.0, 14.0, 20.0, 30.0)
    best = []
    for omega in (0.05, 0.1, 0.3):
        steps = [step_mm(Harmonic(omega, psi=psi)) for psi in phases]
        best.append(phases[steps.index(max(steps))])
    assert best == [2.0, 4.0, 14.0]


def uncertain_step(psi, spread=0.1):
    """S_mu of (6) at 0.3 rad/s, over mu_1,2 = (1 +- e/2, 1 -+ e/2) mu with e from -0.1 to 0.1."""
    steps = [
        step_mm(Harmonic(0.3, psi=psi), friction_scale_1=1 + e / 2, friction_scale_2=1 - e / 2)
        for e in np.linspace(-spread, spread, 5)
    ]
    return 0.5 * (min(steps) + max(steps))


def test_friction_uncertainty_halves_the_step_at_16_degrees_and_costs_24_percent_at_57():
    nominal = step_mm(Harmonic(0.3, psi=16.0))
    assert uncertain_step(16.0) / nominal == pytest.approx(0.50, abs=0.005)  # printed in whole percent
    assert uncertain_step(57.0) / nominal == pytest.approx(0.76, abs=0.005)
    assert uncertain_step(57.0) > max(uncertain_step(50.0), uncertain_step(64.0))


def test_time_scaling_lifts_the_step_by_1_85_at_3_2_rad_per_s():
    plain = step_mm(Harmonic(3.2, psi=98.75))
    scaled = step_mm(Harmonic(3.2, psi=98.75, alpha=0.580, upsilon=-1.043))
    assert scaled / plain == pytest.approx(1.85, abs=0.01)  # a factor of three digits


def asymmetric_step(omega, ratio):
    """m1 / m2 = ratio while (m1 + m2) / 2 is half the central mass, as in Fig. 12."""
    m2 = 0.194 / (1 + ratio)
    return step_mm(Harmonic(omega), mass_1=ratio * m2, mass_2=m2)


@pytest.mark.parametrize("ratio", [0.7, 0.8, 1.25, 1.4])
def test_unequal_legs_stand_still_at_low_frequency(ratio):
    assert asymmetric_step(0.3, ratio) == pytest.approx(0.0, abs=1e-3)
    assert asymmetric_step(0.3, 1.0) > 190.0


def test_heavier_rear_leg_wins_at_high_frequency():
    assert asymmetric_step(16.0, 0.8) > asymmetric_step(16.0, 1.0) > asymmetric_step(16.0, 1.25) > 0.0


def test_a_symmetric_gait_goes_nowhere():
    result = crawl(robot(friction=HARD), Harmonic(3.0, psi=0.0))
    assert result.valid, result.reason
    assert result.step_length == pytest.approx(0.0, abs=1e-9)  # exact by symmetry


def test_steady_state_takes_two_cycles_when_a_foot_sticks_and_more_when_none_does():
    assert crawl(robot(), Harmonic(1.0)).cycles_to_steady == 2
    assert 10 < crawl(robot(), Harmonic(20.0)).cycles_to_steady < 43
    hasty = crawl(robot(), Harmonic(20.0), max_cycles=5)
    assert not hasty.valid
    assert "does not settle within 5 cycles" in hasty.reason
