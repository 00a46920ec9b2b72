"""The six-bar in closed form: the paper's numbers, its matrices, and the loops of the robot file."""

import math
from dataclasses import replace

import numpy as np
import pytest

from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.robot.robot_file import load_robot
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.equations.six_bar import passive_angles, pins
from crawler_models.bolt.equations.transmission import foot_slope, transmission

CRANK = np.radians(np.arange(0.0, 360.0, 0.1))


@pytest.fixture(scope="module")
def leg():
    return Leg.from_parameters(load_robot("bolt").parameters)


def constraints(leg, q1, z):
    """Phi of Appendix A, from angles alone."""
    q2, q3, q4, q5 = np.moveaxis(z, -1, 0)
    upper = leg.l_2 * np.exp(1j * (q1 + q2)) + leg.l_1 * np.exp(1j * q1)
    upper -= leg.l_f * np.exp(1j * q4) + leg.l_c * np.exp(1j * leg.theta)
    lower = leg.l_s * np.exp(1j * (q1 + q2)) - leg.l_t * np.exp(1j * (q4 + q5)) + leg.l_1 * np.exp(1j * q1)
    lower += leg.l_3 * np.exp(1j * (q1 + q2 + q3)) - leg.l_4 * np.exp(1j * q4) - leg.l_c * np.exp(1j * leg.theta)
    return np.stack([upper.real, upper.imag, lower.real, lower.imag], axis=-1)


def test_both_loops_close_over_the_whole_turn(leg):
    assert np.abs(constraints(leg, CRANK, passive_angles(leg, CRANK))).max() < 1e-15  # m: rounding


def test_stride_height_and_turning_point_are_the_papers(leg):
    foot = pins(leg, CRANK).F
    assert np.ptp(foot.real) == pytest.approx(0.2324, abs=1e-4)
    assert np.ptp(foot.imag) == pytest.approx(0.0618, abs=1e-4)
    ahead = int(np.argmax(foot.real))
    assert foot.real[ahead] == pytest.approx(0.1613, abs=5e-5)  # its last printed digit
    assert math.degrees(CRANK[ahead]) == pytest.approx(342.7, abs=0.1)


def test_the_knee_stays_ahead_of_the_crank_as_fig_5_has_it(leg):
    knee = pins(leg, CRANK).E
    assert knee.real.min() > 0.1
    assert knee.imag.max() < 0.0


def test_det_jz_by_its_closed_form_is_the_determinant_of_appendix_b(leg):
    q2, q3, q4, q5 = passive_angles(leg, CRANK).T
    zero = np.zeros_like(CRANK)
    along = {
        "2": leg.l_2 * np.exp(1j * (CRANK + q2)),
        "s": leg.l_s * np.exp(1j * (CRANK + q2)),
        "3": leg.l_3 * np.exp(1j * (CRANK + q2 + q3)),
        "4": leg.l_4 * np.exp(1j * q4),
        "f": leg.l_f * np.exp(1j * q4),
        "t": leg.l_t * np.exp(1j * (q4 + q5)),
    }
    columns = [  # i times a vector, real over imaginary: its derivative
        (along["2"], along["s"] + along["3"]),
        (zero, along["3"]),
        (-along["f"], -along["t"] - along["4"]),
        (zero, -along["t"]),
    ]
    rows = [[part for vector in column for part in ((1j * vector).real, (1j * vector).imag)] for column in columns]
    det = np.linalg.det(np.moveaxis(np.array(rows), -1, 0))
    ours = transmission(leg, CRANK).det_Jz
    np.testing.assert_allclose(ours, det, atol=1e-18)  # m⁴, of 4e-5
    assert -5.4e-5 < ours.min() < -5.3e-5
    assert -4.2e-5 < ours.max() < -4.1e-5


def test_no_four_bar_comes_near_a_dead_centre(leg):
    drive = transmission(leg, CRANK)
    assert np.degrees([drive.upper.min(), drive.lower.min()]) == pytest.approx([34.6, 47.6], abs=0.05)
    assert max(drive.upper.max(), drive.lower.max()) < math.radians(90.0)


def test_the_foots_jacobian_is_the_slope_of_its_way(leg):
    step = 1e-6
    slope = (pins(leg, CRANK + step).F - pins(leg, CRANK - step).F) / (2.0 * step)
    np.testing.assert_allclose(foot_slope(leg, CRANK), slope, atol=1e-8)  # m/rad: rounding over the step


def test_the_robot_files_loops_close_at_the_same_angles():
    spec = load_robot("bolt")
    leg, closure = Leg.from_parameters(spec.parameters), make_loop_closure_solver(spec)
    crank = closure.home()[0] - np.radians(np.arange(0.0, 720.0, 10.0))  # two turns, as it runs
    for q1 in crank:
        full, _ = closure.complete(np.array([q1, 0.0, 0.0, 0.0, 0.0]), np.zeros(5))
        off = np.angle(np.exp(1j * (full[1:] - passive_angles(leg, q1))))
        assert np.abs(off).max() < 1e-11  # rad: gaps of 1e-13 m in loops of 0.1 m, with room


def test_a_chain_that_cannot_close_is_nan_and_nothing_else(leg):
    with np.errstate(all="raise"):
        foot = pins(replace(leg, l_1=0.1), CRANK).F
        assert np.isnan(foot).any()
        assert np.isfinite(foot).any()
        assert np.isnan(pins(replace(leg, l_t=0.4), CRANK).F).all()


def test_many_mechanisms_at_once_are_the_single_ones(leg):
    lengths = np.array([[0.018], [0.020], [0.022]])
    together = pins(replace(leg, l_1=lengths), CRANK).F
    for row, length in zip(together, lengths[:, 0], strict=True):
        np.testing.assert_allclose(row, pins(replace(leg, l_1=float(length)), CRANK).F, atol=1e-15)
