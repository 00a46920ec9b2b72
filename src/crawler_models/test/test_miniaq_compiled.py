"""MinIAQ's compiled integration: how exact it is, and that it takes its samples rightly."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from miniaq_cases import RATES, ROBOT, cranks
from scipy.integrate import solve_ivp

from crawler_models.miniaq.compiled.equations import CRANK, STATES, numbers
from crawler_models.miniaq.compiled.march import FINE, LOAD_COLUMNS, march
from crawler_models.miniaq.equations.dynamics import derivative, rotation
from crawler_models.miniaq.walks.statics import standing
from crawler_models.miniaq.walks.walk import walk

TROT = cranks("trot")


def by_scipy(seconds, method, tolerance):
    """The twelve states every millisecond, by the reference equations."""
    times = 1e-3 * np.arange(round(1e3 * seconds) + 1)

    def rates(t, X):
        return derivative(ROBOT, X, TROT + RATES * t, RATES)

    found = solve_ivp(
        rates, (0.0, times[-1]), standing(ROBOT, TROT), method, times, rtol=tolerance, atol=0.01 * tolerance
    )
    return found.y.T


def differ(X, found):
    """The largest differences of place (m) and attitude (rad)."""
    return np.abs(X[:, :3] - found.position).max(), np.abs(X[:, 3:6] - found.rpy).max()


def test_it_goes_where_scipys_solver_goes():
    place, attitude = differ(by_scipy(0.1, "LSODA", 1e-9), walk(ROBOT, TROT, RATES, 0.1, tolerance=1e-8))
    assert place < 1e-10  # both are that exact by their own tolerances: the foot is 1e-5 m deep
    assert attitude < 1e-8


@pytest.mark.exhaustive  # half a minute: a whole stride
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # scipy tries slopes by x and y, and there are none
def test_it_goes_where_an_implicit_solver_goes_for_a_stride():
    place, attitude = differ(by_scipy(0.4, "Radau", 1e-9), walk(ROBOT, TROT, RATES, 0.4, tolerance=1e-9))
    assert place < 1e-10
    assert attitude < 1e-8


def test_errors_shrink_with_the_tolerance():
    exact = walk(ROBOT, TROT, RATES, 1.0, tolerance=1e-9)
    errors = [
        np.abs(walk(ROBOT, TROT, RATES, 1.0, tolerance=each).position - exact.position).max()
        for each in (1e-4, 1e-5, 1e-6, 1e-7)
    ]
    assert errors[2] < 1e-6  # of 0.1 m
    assert all(after < 0.4 * before for before, after in pairwise(errors))


def test_samples_are_the_same_however_many_there_are():
    few, many = (walk(ROBOT, TROT, RATES, 0.5, every=every) for every in (5e-3, 1e-3))
    np.testing.assert_allclose(few.position, many.position[::5], atol=1e-15)
    # the steps are the same; only the pieces of Simpson's rule are others
    np.testing.assert_allclose(few.force[1:], many.force[1:].reshape(-1, 5, 4, 3).mean(axis=1), atol=1e-5)
    np.testing.assert_allclose(few.power[1:], many.power[1:].reshape(-1, 5).mean(axis=1), atol=1e-6)


def test_mean_forces_are_the_change_of_momentum():
    found = walk(ROBOT, TROT, RATES, 1.0)
    change = np.diff(found.velocity, axis=0) / 1e-3 + [0.0, 0.0, ROBOT.g]
    np.testing.assert_allclose(found.force[1:].sum(axis=1), ROBOT.m * change, atol=3e-5)  # N, of 0.23


def test_a_walk_goes_on_where_one_ended():
    whole = walk(ROBOT, TROT, RATES, 0.6, tolerance=1e-8)
    half = walk(ROBOT, TROT, RATES, 0.3, tolerance=1e-8)
    along_the_body = half.velocity[-1] @ rotation(half.rpy[-1])
    last = np.concatenate([half.position[-1], half.rpy[-1], along_the_body, half.angular[-1]])
    rest = walk(ROBOT, half.crank[-1], RATES, 0.3, tolerance=1e-8, start=last)
    np.testing.assert_allclose(rest.position, whole.position[300:], atol=1e-8)


def test_a_crank_with_an_endless_inertia_turns_at_constant_speed():
    """The cranks that efforts drive, as heavy as can be, against those of the paper's assumption 4."""
    found = walk(ROBOT, TROT, RATES, 0.3, tolerance=1e-8)
    still = standing(ROBOT, TROT)
    y = np.concatenate([still[:6], TROT, still[6:], RATES])
    states, forces = np.empty((300, STATES)), np.empty((300, LOAD_COLUMNS))
    n = numbers(replace(ROBOT, J=1e3, B=0.0), driven=True)
    ended, taken, _, _ = march(n, y, np.zeros(4), 1e-3, 1e-5, 1e-8, states, forces)
    assert (ended, taken) == (FINE, 300)
    np.testing.assert_allclose(states[:, :CRANK], np.hstack([found.position, found.rpy])[1:], atol=1e-8)
    np.testing.assert_array_equal(y, states[-1])


def test_in_flight_energy_and_spin_stay():
    start = np.array([0.0, 0.0, 5.0, 0.1, -0.2, 0.3, 0.2, -0.1, 1.0, 3.0, -2.0, 4.0])
    found = walk(ROBOT, TROT, RATES, 0.4, tolerance=1e-9, start=start)
    energy = (
        0.5 * ROBOT.m * (found.velocity**2).sum(axis=1)
        + ROBOT.m * ROBOT.g * found.position[:, 2]
        + 0.5 * (found.angular**2) @ ROBOT.inertia
    )
    np.testing.assert_allclose(energy, energy[0], rtol=1e-10)
    spin = np.linalg.norm(found.angular * ROBOT.inertia, axis=1)
    np.testing.assert_allclose(spin, spin[0], rtol=1e-8)  # the tolerance, summed over the steps
    assert (found.force == 0.0).all()
    assert found.position[-1, 2] == pytest.approx(5.0 + found.velocity[0, 2] * 0.4 - 0.5 * ROBOT.g * 0.4**2, abs=1e-9)
    assert math.isclose(found.times[-1], 0.4)
