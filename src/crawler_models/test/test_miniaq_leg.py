"""MinIAQ's four-bar leg and body: the numbers of the paper's Table I, and geometry."""

import math
from dataclasses import replace

import numpy as np
import pytest
from miniaq_cases import LOWEST, ROBOT, leg_by_iteration

from crawler_models.miniaq.compiled.legs import foot, leg_of
from crawler_models.miniaq.equations.four_bar import passive_angles, pins, turns, turns_round

CRANKS = np.linspace(-math.pi, math.pi, 25)
H = 1e-5  # rad, of central differences: their error is below 1e-11 of the crank's length


def test_the_foot_is_where_the_paper_has_it():
    foot_in_mm = 1e3 * pins(ROBOT, 0.0).E
    assert foot_in_mm == pytest.approx(complex(21.5638, -38.2306), abs=1e-4)


def test_its_lowest_point_is_phase_0():
    fine = np.radians(np.linspace(0.0, 360.0, 3601))
    assert fine[pins(ROBOT, fine).E.imag.argmin()] == pytest.approx(LOWEST, abs=math.radians(0.5))


def test_bars_keep_their_lengths_all_the_way_round():
    p = pins(ROBOT, CRANKS)
    for bar, length in (
        (p.D, ROBOT.l_2),
        (p.C - p.D, ROBOT.l_3),
        (p.C - p.A, ROBOT.l_4),
        (p.E - p.C, ROBOT.l_5),
        (p.F - p.C, ROBOT.l_6),
    ):
        np.testing.assert_allclose(abs(bar), length, rtol=1e-13)
    assert (((p.C - p.D) * (p.A - p.D).conjugate()).imag < 0.0).all()  # the knee is below the line D to A


def test_the_sheet_is_folded_at_f_by_the_papers_80_degrees():
    """theta_fold is not used by the equations: it is how far the line D to F turns into the line F to E.

    5.91 and 74.12 degrees against the coupler, each rounded, make 80.03.
    """
    p = pins(ROBOT, CRANKS)
    first, second = (np.degrees(np.angle(line / (p.C - p.D))) for line in (p.F - p.D, p.E - p.F))
    np.testing.assert_allclose(first, 5.91, atol=0.005)
    np.testing.assert_allclose(second, -74.12, atol=0.005)
    np.testing.assert_allclose(first - second, 80.0248, atol=1e-4)


def test_the_closed_form_is_the_leg_that_iteration_closes():
    for crank in CRANKS:
        E, dE = leg_by_iteration(ROBOT, crank)
        assert complex(*E) == pytest.approx(complex(pins(ROBOT, crank).E), abs=1e-15)
        assert complex(*dE) == pytest.approx(complex(turns(ROBOT, crank).E), abs=1e-15)


def test_velocities_are_the_positions_slopes():
    ahead, behind, by = pins(ROBOT, CRANKS + H), pins(ROBOT, CRANKS - H), turns(ROBOT, CRANKS)
    for after, before, slope in zip(ahead, behind, by, strict=True):
        np.testing.assert_allclose(slope, (after - before) / (2.0 * H), atol=1e-11)


def test_the_compiled_leg_has_the_same_foot_and_the_velocitys_slope_too():
    leg = leg_of(ROBOT)
    for crank in CRANKS:
        at, by, twice = foot(leg, crank)
        assert at == pytest.approx(complex(pins(ROBOT, crank).E), abs=1e-16)
        assert by == pytest.approx(complex(turns(ROBOT, crank).E), abs=1e-16)
        assert twice == pytest.approx((foot(leg, crank + H)[1] - foot(leg, crank - H)[1]) / (2.0 * H), abs=1e-11)


def test_passive_angles_put_the_knee_in_its_place():
    coupler, rocker = passive_angles(ROBOT, CRANKS).T
    p = pins(ROBOT, CRANKS)
    np.testing.assert_allclose(p.D + ROBOT.l_3 * np.exp(-1j * (CRANKS + coupler)), p.C, atol=1e-16)
    np.testing.assert_allclose(p.A + ROBOT.l_4 * np.exp(-1j * rocker), p.C, atol=1e-16)


def test_a_crank_that_is_too_long_does_not_come_round():
    assert turns_round(ROBOT)
    assert not turns_round(replace(ROBOT, l_2=0.02))


def test_inertia_is_the_prisms():
    np.testing.assert_allclose(1e9 * ROBOT.inertia, [2675.67, 15034.3, 17326.7], rtol=3e-6)  # g mm², to their digits
