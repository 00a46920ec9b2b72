"""MinIAQ's equations against Lagrange's, momentum, energy, and their compiled form."""

import numpy as np
import pytest
from miniaq_cases import ROBOT, by_lagrange, random_states

from crawler_models.miniaq.compiled.equations import CRANK, OMEGA, RATE, STATES, V, feet_along, numbers, rates
from crawler_models.miniaq.compiled.jacobian import jacobian
from crawler_models.miniaq.compiled.rodas import factor, solve
from crawler_models.miniaq.equations.dynamics import crank_torque, derivative, feet, legs, rotation

CASES = random_states(60)
EFFORT = np.array([1e-3, -2e-3, 0.0, 5e-4])


def compiled(n, y, effort=EFFORT):
    dy, force = np.empty(STATES), np.empty((4, 4))
    rates(n, y, effort, dy, force)
    return dy, force


def packed(X, crank, turning):
    return np.concatenate([X[:6], crank, X[6:], turning])


def test_the_states_have_feet_on_the_ground_and_in_the_air():
    down = np.array([(feet(ROBOT, *case).position[:, 2] < 0.0).sum() for case in CASES])
    assert down.min() == 0
    assert down.max() == 4


def test_lagranges_equations_give_the_same_accelerations():
    for case in CASES:
        ours, theirs = derivative(ROBOT, *case), by_lagrange(ROBOT, *case)
        # both have the same rounding in the depth, 1e-18 of 1e-5 m, and accelerations up to 1e6
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)


def test_momentum_changes_by_the_forces_alone():
    for X, crank, turning in CASES:
        R, dX = rotation(X[3:6]), derivative(ROBOT, X, crank, turning)
        found = feet(ROBOT, X, crank, turning)
        acceleration = R @ (dX[6:9] + np.cross(X[9:], X[6:9]))
        force = found.force.sum(axis=0) - [0.0, 0.0, ROBOT.m * ROBOT.g]
        np.testing.assert_allclose(ROBOT.m * acceleration, force, rtol=1e-12, atol=1e-12)
        spin = R @ (ROBOT.inertia * dX[9:] + np.cross(X[9:], ROBOT.inertia * X[9:]))
        torque = np.cross(found.position - X[:3], found.force).sum(axis=0)
        np.testing.assert_allclose(spin, torque, rtol=1e-11, atol=1e-12)


def test_energy_comes_from_the_cranks_and_goes_into_the_ground():
    for X, crank, turning in CASES:
        dX, found = derivative(ROBOT, X, crank, turning), feet(ROBOT, X, crank, turning)
        gains = ROBOT.m * (X[6:9] @ dX[6:9] + ROBOT.g * dX[2]) + X[9:] @ (ROBOT.inertia * dX[9:])
        put_in = -crank_torque(ROBOT, X, crank, found.force) @ turning
        taken = (found.force * found.velocity).sum()
        assert gains == pytest.approx(put_in + taken, rel=1e-10, abs=1e-12)


def test_in_the_air_nothing_but_gravity_acts_however_the_cranks_turn():
    X, crank, turning = CASES[0]
    X = X.copy()
    X[2] = 1.0
    dX = derivative(ROBOT, X, crank, turning)
    energy = ROBOT.m * (X[6:9] @ dX[6:9] + ROBOT.g * dX[2]) + X[9:] @ (ROBOT.inertia * dX[9:])
    assert abs(energy) < 1e-15
    spin = ROBOT.inertia * dX[9:] + np.cross(X[9:], ROBOT.inertia * X[9:])
    assert np.abs(spin).max() < 1e-18


def test_the_compiled_equations_are_these():
    n = numbers(ROBOT, driven=True)
    for X, crank, turning in CASES:
        dy, force = compiled(n, packed(X, crank, turning))
        dX, found = derivative(ROBOT, X, crank, turning), feet(ROBOT, X, crank, turning)
        np.testing.assert_allclose(force[:, :3], found.force @ rotation(X[3:6]), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(force[:, 3], crank_torque(ROBOT, X, crank, found.force), rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(np.concatenate([dy[:CRANK], dy[V:RATE]]), dX, rtol=1e-10, atol=1e-9)
        np.testing.assert_array_equal(dy[CRANK:V], turning)
        push = EFFORT - ROBOT.B * turning + crank_torque(ROBOT, X, crank, found.force)
        np.testing.assert_allclose(ROBOT.J * dy[RATE:], push, rtol=1e-10, atol=1e-15)


def test_the_compiled_feet_move_as_these():
    n, moves = numbers(ROBOT, driven=True), np.empty((4, 3))
    for X, crank, turning in CASES:
        feet_along(n, packed(X, crank, turning), moves)
        theirs = feet(ROBOT, X, crank, turning).velocity
        np.testing.assert_allclose(moves @ rotation(X[3:6]).T, theirs, atol=1e-14)


def test_cranks_of_constant_speed_are_not_pushed():
    dy, _ = compiled(numbers(ROBOT, driven=False), packed(*CASES[1]))
    assert (dy[RATE:] == 0.0).all()


def test_the_jacobian_is_the_rates_slope():
    n, J = numbers(ROBOT, driven=True), np.empty((STATES, STATES))
    for X, crank, turning in CASES:
        y = packed(X, crank, turning)
        jacobian(n, y, J)
        slope = np.empty_like(J)
        for k in range(STATES):
            h = np.zeros(STATES)
            h[k] = 1e-9 if k < V else 1e-7
            slope[:, k] = (compiled(n, y + h)[0] - compiled(n, y - h)[0]) / (2.0 * h[k])
        # rounding of rates up to 1e5 over h; a step of 1e-9 m does not cross a foot's touch-down in these states
        size = np.maximum(np.abs(slope).max(axis=1, keepdims=True), 1.0)
        np.testing.assert_allclose(J / size, slope / size, atol=1e-5)


def test_the_solver_solves():
    n, J = numbers(ROBOT, driven=True), np.empty((STATES, STATES))
    jacobian(n, packed(*CASES[2]), J)
    W = np.eye(STATES) / (0.25 * 1e-4) - J
    right = np.arange(1.0, STATES + 1.0)
    factored, found = W.copy(), right.copy()
    factor(factored, STATES)
    solve(factored, found, STATES)
    np.testing.assert_allclose(found, np.linalg.solve(W, right), rtol=1e-9)


def test_a_leg_sees_the_body_as_its_own_frame():
    r_E, v_E = legs(ROBOT, CASES[0][1], CASES[0][2])
    assert (r_E[:, 1] == [ROBOT.y_left, -ROBOT.y_left] * 2).all()
    assert (v_E[:, 1] == 0.0).all()
    assert OMEGA - V == 3
