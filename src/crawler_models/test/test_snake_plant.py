"""The snake that lies, loads and slides by the quasi-static equations, against mechanics."""

import math

import numpy as np
import pytest

from crawler_core.types import ContactMode
from crawler_models.snake.ground.posture import settle
from crawler_models.snake.ground.slide import slide
from crawler_models.snake.ground.statics import loads, torques
from crawler_models.snake.snake import Snake
from crawler_models.snake.snake_plant import SnakePlant
from crawler_models.snake.waves.wave import Wave

SNAKE = Snake(links=8, length=0.084, mass=0.220, gravity=9.81, friction=0.4)
WEIGHT = 8 * 0.220 * 9.81
RNG = np.random.default_rng(3)
SHAPES = [0.5 * RNG.standard_normal(7) for _ in range(20)]


def middles(posture):
    return 0.5 * (posture.x[1:] + posture.x[:-1]), 0.5 * (posture.z[1:] + posture.z[:-1])


@pytest.mark.parametrize("q", SHAPES, ids=range(len(SHAPES)))
def test_a_settled_snake_stands_on_the_ground_with_its_weight_between_its_feet(q):
    posture = settle(q, 0.084, 0.1)
    assert posture.z.min() == 0.0
    assert posture.x[0] == 0.0
    np.testing.assert_allclose(np.hypot(np.diff(posture.x), np.diff(posture.z)), 0.084, rtol=1e-12)
    x, z = middles(posture)
    on = posture.x[posture.touching]
    assert len(on) >= 2
    assert on.min() <= x.mean() <= on.max()
    # its centre is in a dip: tilting it either way raises it
    for tilt in (-1e-3, 1e-3):
        turned = (posture.x + 1j * posture.z) * np.exp(1j * tilt)
        centre = 0.5 * (turned[1:] + turned[:-1]).mean().imag
        assert centre - turned.imag.min() > z.mean() - 1e-9


@pytest.mark.parametrize("q", [np.zeros(7), *SHAPES[:6]], ids=range(7))
def test_loads_balance_the_weight_and_do_not_pull(q):
    posture = settle(q, 0.084, 0.0)
    normal = loads(SNAKE, posture)
    assert (normal >= 0.0).all()
    assert not normal[~posture.touching].any()
    assert normal.sum() == pytest.approx(WEIGHT, rel=1e-6)
    assert normal @ posture.x == pytest.approx(WEIGHT * middles(posture)[0].mean(), rel=1e-6)


def test_a_straight_snake_bends_nowhere_more_than_links_on_their_ends_do():
    posture = settle(np.zeros(7), 0.084, 0.0)
    normal = loads(SNAKE, posture)
    np.testing.assert_allclose(normal, WEIGHT / 8 * np.array([0.5, *[1.0] * 7, 0.5]), atol=1e-4)
    np.testing.assert_allclose(torques(SNAKE, posture, normal, np.zeros(9)), 0.0, atol=1e-5)


@pytest.mark.parametrize("q", SHAPES[:6], ids=range(6))
def test_torques_are_those_of_virtual_work(q):
    """Turning a joint by a little takes its torque times the turn: weight lifted less work of the ground's forces."""
    posture = settle(q, 0.084, 0.0)
    normal, friction = loads(SNAKE, posture), RNG.standard_normal(9)
    friction -= friction.mean()

    def energy(q):  # link 1 held, so that what is ahead of the joint moves
        direction = np.exp(1j * (posture.pitch + np.concatenate(([0.0], np.cumsum(q)))))
        points = np.concatenate(([1j * posture.z[0]], 1j * posture.z[0] + 0.084 * np.cumsum(direction)))
        lifted = WEIGHT / 8 * 0.5 * (points[1:] + points[:-1]).imag.sum()
        return lifted - normal @ points.imag - friction @ points.real

    h = 1e-6
    found = torques(SNAKE, posture, normal, friction)
    for joint in range(7):
        step = h * np.eye(7)[joint]
        assert (energy(q + step) - energy(q - step)) / (2 * h) == pytest.approx(found[joint], abs=1e-6)


def test_the_chain_slides_where_friction_costs_least():
    own, normal = np.array([0.3, 0.0, -0.1, 0.5]), np.array([2.0, 3.0, 0.5, 1.0])
    found = slide(own, normal, 0.4)

    def power(shift):
        return 0.4 * float(normal @ np.abs(own + shift))

    assert power(found.shift) <= min(power(shift) for shift in np.linspace(-1.0, 1.0, 2001)) + 1e-12
    assert found.force.sum() == pytest.approx(0.0, abs=1e-12)
    assert (np.abs(found.force) <= 0.4 * normal + 1e-12).all()
    slips = found.velocity != 0.0
    np.testing.assert_allclose(found.force[slips], -0.4 * normal[slips] * np.sign(found.velocity[slips]))


def arch(height):
    """Four links up and down in the middle of the snake."""
    return np.array([0.0, height, -height, 0.0, -height, height, 0.0])


def raise_wave(first):
    """A wave of four links grows on links `first` to `first` + 3; what base and head gain, and what the wave takes."""
    plant, wave = SnakePlant(SNAKE, np.zeros(7)), Wave(4, 0.8)
    shape = np.zeros(9)
    shape[first - 1 : first + 4] = wave.angles(0.0).value[:5]
    for k in range(1, 201):
        q = k / 200 * shape[1:8]
        plant.advance(q, np.zeros(7), np.zeros(7), 0.01)
    tail = plant.base().position[0]
    posture = settle(q, 0.084, 0.0)
    return tail, tail + posture.x[-1] - 8 * 0.084, 0.084 * wave.d_unit


def test_a_wave_at_the_tail_pulls_the_light_tail_in():
    tail, head, taken = raise_wave(first=1)
    assert tail == pytest.approx(taken, rel=1e-6)
    assert head == pytest.approx(0.0, abs=1e-9)


def test_a_wave_at_the_head_pulls_the_light_head_in():
    tail, head, taken = raise_wave(first=5)
    assert tail == pytest.approx(0.0, abs=1e-9)
    assert head == pytest.approx(-taken, rel=1e-6)


def test_what_is_in_the_air_is_open_and_what_stands_reports_its_force():
    plant = SnakePlant(SNAKE, arch(0.6))
    contacts = plant.contacts()
    assert [contact.foot for contact in contacts] == [f"foot_{i}" for i in range(9)]
    assert {contact.foot for contact in contacts if contact.mode is ContactMode.OPEN} >= {"foot_4"}
    assert sum(contact.force[2] for contact in contacts) == pytest.approx(WEIGHT, rel=1e-6)
    for contact in contacts:
        assert (contact.mode is ContactMode.OPEN) == (contact.force[2] == 0.0)


def test_while_it_slides_friction_opposes_and_stays_in_the_cone():
    plant = SnakePlant(SNAKE, np.zeros(7))
    slid = set()
    for k in range(1, 60):
        plant.advance(arch(0.01 * k), np.zeros(7), np.zeros(7), 0.01)
        contacts = plant.contacts()
        for contact in contacts:
            assert abs(contact.force[0]) <= 0.4 * contact.force[2] + 1e-9
            if contact.mode in (ContactMode.SLIP_POS, ContactMode.SLIP_NEG):
                slid.add(contact.mode)
                assert contact.force[0] * contact.slip_velocity[0] <= 0.0
    assert slid


@pytest.mark.parametrize(
    ("position", "words"),
    [([0.0] * 6, "7 joints"), ([math.nan] * 7, "finite"), (["x"] * 7, "numbers are needed")],
)
def test_setpoints_that_are_no_pose_are_refused_and_change_nothing(position, words):
    plant = SnakePlant(SNAKE, arch(0.3))
    before = plant.joints()[0]
    with pytest.raises(ValueError, match=words):
        plant.advance(position, np.zeros(7), np.zeros(7), 0.01)
    with pytest.raises(ValueError, match="time step"):
        plant.advance(np.zeros(7), np.zeros(7), np.zeros(7), 0.0)
    np.testing.assert_array_equal(plant.joints()[0], before)


def test_the_base_moves_as_its_velocity_says():
    plant = SnakePlant(SNAKE, np.zeros(7))
    for k in range(1, 40):
        before = plant.base()
        plant.advance(np.full(7, 0.01 * k), np.zeros(7), np.zeros(7), 0.01)
        now = plant.base()
        for axis in (0, 2):
            assert now.position[axis] - before.position[axis] == pytest.approx(0.01 * now.linear[axis], abs=1e-12)
        pitch = [2.0 * math.atan2(base.quaternion[2], base.quaternion[0]) for base in (before, now)]
        assert pitch[1] - pitch[0] == pytest.approx(0.01 * now.angular[1], abs=1e-12)
    # a snake that curls up evenly stands on its middle with its tail up: nose down, about +y
    assert pitch[1] > 0.5
