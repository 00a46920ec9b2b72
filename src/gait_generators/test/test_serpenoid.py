"""The snake's gaits: smooth through growth, travel and end of the wave, and refused where they do not exist."""

import dataclasses
import math

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_models.snake.ground.cycle import crawl
from crawler_models.snake.snake import Snake
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.kinds.limit_check import check_limits
from gait_generators.kinds.snake.serpenoid import Serpenoid

NAMES = ("serpenoid", "serpenoid_closed")
CASES = [
    (name, links, n, way) for name in NAMES for links, n in ((8, 4), (8, 6), (11, 5)) for way in ("forward", "backward")
]


@pytest.fixture(scope="module")
def snake():
    return load_robot("snake")


def gait_of(name, links, n, way, alpha=40.0):
    return make_gait(load_robot("snake", {"links": links}), name, {"n": n, "direction": way, "alpha": alpha})


@pytest.mark.parametrize(("name", "links", "n", "way"), CASES)
def test_position_velocity_and_acceleration_fit_and_are_continuous_through_all_intervals(name, links, n, way):
    gait = gait_of(name, links, n, way)
    t = np.linspace(-0.1, gait.period + 0.1, 40001)
    h = t[1] - t[0]
    q, dq, ddq = gait.sample(t)
    assert q.shape == (len(t), links - 1)
    # central differences: h² / 6 times a third derivative of below 100; a kink would leave h times a jump
    np.testing.assert_allclose((q[2:] - q[:-2]) / (2 * h), dq[1:-1], atol=2e-6)
    np.testing.assert_allclose((dq[2:] - dq[:-2]) / (2 * h), ddq[1:-1], atol=0.02)
    assert np.abs(np.diff(ddq, axis=0)).max() < 100.0 * h  # no jump


@pytest.mark.parametrize("name", NAMES)
def test_the_snake_is_straight_and_at_rest_at_phase_0_and_repeats(name):
    gait = gait_of(name, 8, 5, "forward")
    for values in gait.sample(0.0):
        np.testing.assert_allclose(values, 0.0, atol=1e-12)
    np.testing.assert_allclose(gait.sample(1.3).position, gait.sample(1.3 + gait.period).position, atol=1e-9)


def test_at_the_even_pace_the_end_joints_turn_by_the_sine_of_8_and_their_rates_jump_between_steps(snake):
    eased, even = (make_gait(snake, "serpenoid", {"n": 4, "alpha": 45.0, "pace": pace}) for pace in ("eased", "even"))
    assert isinstance(even, Serpenoid)
    steps = np.arange(1, even.intervals) * even.interval
    np.testing.assert_allclose(even.sample(steps).position, eased.sample(steps).position, atol=1e-12)
    alpha = math.radians(45.0)
    turn = 0.5 * alpha * (1.0 + math.sqrt(2.0)) + alpha * math.sqrt(0.5)  # theta_1 - phi_1, by (6) and (7)
    t = np.linspace(0.01, 0.99, 50) * even.interval
    q = even.sample(steps[0] + t).position[:, 0]  # J_2 of the first step is joint 1's, and omega_2 is 1 rad/s
    np.testing.assert_allclose(q, -alpha * math.sqrt(0.5) + turn * np.sin(t), atol=1e-12)
    before, after = even.sample(steps[0] + np.array([-1e-9, 1e-9])).velocity[:, 0]
    assert after - before == pytest.approx(turn + alpha * math.sqrt(0.5) / even.interval, abs=1e-6)  # from its growth


def test_backward_is_forward_in_reverse():
    ahead, back = (gait_of("serpenoid", 8, 4, way) for way in ("forward", "backward"))
    t = np.linspace(0.0, ahead.period, 101)
    np.testing.assert_allclose(back.sample(t).position, ahead.sample(ahead.period - t).position, atol=1e-9)


def test_between_two_steps_the_joint_at_p_k_plus_i_minus_1_has_j_i():
    """Behind step k the wave stands on links k + 1 to k + n, by (6) and (7)."""
    gait = gait_of("serpenoid", 9, 5, "forward", alpha=35.0)
    beta = math.pi / 5
    phi = [-math.radians(35.0) * math.sin(i * beta) for i in range(1, 5)]
    theta = -0.5 * sum(phi)
    for k in range(5):
        q = gait.sample((1 + k) * gait.interval).position
        expected = np.zeros(9)  # of P_0 to P_8; P_0 is the tip, and the head's tip P_9 has none either
        expected[k : k + 6] = [theta, *phi, theta][: 9 - k]
        np.testing.assert_allclose(q, expected[1:], atol=1e-9)


def test_the_pace_is_that_of_the_papers_omega_2():
    gait = gait_of("serpenoid", 8, 4, "forward")
    faster = dataclasses.replace(gait, omega=3.0)
    assert gait.interval == pytest.approx(math.pi / 2)  # omega_2 t from 0 to pi / 2
    assert gait.period == pytest.approx(6 * math.pi / 2)
    np.testing.assert_allclose(faster.sample(0.7).position, gait.sample(2.1).position, atol=1e-12)


@pytest.mark.parametrize("n", [4, 5, 6])
def test_the_closed_gait_advances_by_d_step_without_slip_and_the_papers_works_harder(snake, n):
    robot = Snake.from_parameters(snake.parameters)
    paper, closed = (make_gait(snake, name, {"n": n}) for name in NAMES)
    assert isinstance(closed, Serpenoid)
    advance = 0.084 * closed.wave.d_unit
    cycles = {name: crawl(robot, gait) for name, gait in (("paper", paper), ("closed", closed))}
    assert cycles["closed"].step_length == pytest.approx(advance, rel=1e-6)
    assert cycles["closed"].friction_work < 0.95 * cycles["paper"].friction_work
    assert cycles["closed"].torque.max() < 0.6 * cycles["paper"].torque.max()
    back = make_gait(snake, "serpenoid_closed", {"n": n, "direction": "backward"})
    assert crawl(robot, back).step_length == pytest.approx(-advance, rel=1e-6)


def test_every_whole_number_of_links_in_the_wave_fits_the_joints(snake):
    for name in NAMES:
        for n in (4, 5, 6):
            check_limits(snake, make_gait(snake, name, {"n": n, "alpha": 45.0}))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"n": 7}, ["gait.n = 7", "at most 6"]),
        ({"n": 4.5}, ["gait.n = 4.5", "whole number"]),
        ({"n": 5, "alpha": 58.6}, ["gait.alpha = 58.6°", "58.49°"]),
        ({"alpha": 76.0}, ["gait.alpha = 76.0", "1 to 75 deg"]),
        ({"direction": "sideways"}, ["gait.direction", "forward, backward"]),
    ],
)
def test_a_wave_that_cannot_be_is_refused_with_what_can(snake, values, words):
    with pytest.raises(UserError) as refused:
        make_gait(snake, None, values)
    for word in words:
        assert word in str(refused.value)


def test_a_pace_beyond_the_joints_names_the_parameter_to_lower(snake):
    with pytest.raises(UserError, match=r"lower gait\.omega or gait\.alpha"):
        check_limits(snake, make_gait(snake, None, {"omega": 5.0}))


def test_a_robot_with_two_joints_has_no_room_for_a_wave():
    short = dataclasses.replace(load_robot("three_link"), equations="")  # else it is refused for its equations already
    with pytest.raises(UserError, match="at least 4, which needs 6 links"):
        make_gait(short, "serpenoid", {})
