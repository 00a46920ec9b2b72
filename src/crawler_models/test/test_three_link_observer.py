"""The contact observer against the truth of the equations, with and without odometry, friction right and wrong."""

import math

import numpy as np
import pytest

from crawler_core.robot.robot_file import load_robot
from crawler_core.types import ContactMode, ContactSource
from crawler_models.estimation.base_motion import BaseMotion
from crawler_models.three_link import ThreeLink
from crawler_models.three_link.estimation.contact_observer import ContactObserver
from crawler_models.three_link.plant.three_link_plant import ThreeLinkPlant

RATE, DELAY = 500, 0.02
FEET = ("foot_1", "foot_2")


@pytest.fixture(scope="module")
def crawler():
    return load_robot("three_link")


def joints(omega, t):
    swing = math.radians(18.0) * min(1.0, t) ** 2 * (3.0 - 2.0 * min(1.0, t))  # fades in within a second
    growth = math.radians(18.0) * (6.0 * t * (1.0 - t) if t < 1.0 else 0.0)
    xi = omega * t + math.radians(10.0) * np.array([1.0, -1.0])
    return math.radians(110.0) + swing * np.sin(xi), growth * np.sin(xi) + swing * omega * np.cos(xi)


def compare(spec, omega, friction_error=1.0, gain=0.0, noise=0.0, seconds=5.0):
    """Share of (foot, tick) pairs with the right mode, and the root mean square of the velocity error in m/s."""
    truth = ThreeLink.from_parameters(spec.parameters)
    believed = {**spec.parameters, "friction": spec.parameters["friction"] * friction_error}
    observer = ContactObserver(ThreeLink.from_parameters(believed), FEET, gain)
    plant = ThreeLinkPlant(truth, joints(omega, 0.0)[0])
    rng = np.random.default_rng(1)
    waiting, right, errors = [], [], []
    for k in range(round(seconds * RATE)):
        time_ns = k * 2_000_000
        q, dq, _ = plant.joints()
        if gain and k % 5 == 0:
            waiting.append(BaseMotion(time_ns, plant.base().linear[0]))
        due = [motion for motion in waiting if motion.time_ns <= time_ns - DELAY * 1e9]
        waiting = waiting[len(due) :]
        feet = observer.update(time_ns, q + noise * rng.normal(size=2), dq + 10.0 * noise * rng.normal(size=2), due)
        if k > RATE:
            for seen, real in zip(feet, plant.contacts(), strict=True):
                right.append(seen.mode is real.mode)
                errors.append(seen.slip_velocity[0] - real.slip_velocity[0])
        goal, speed = joints(omega, (k + 1) / RATE)
        plant.advance(goal, speed, (0.0, 0.0), 1.0 / RATE)
    return float(np.mean(right)), float(np.sqrt(np.mean(np.square(errors))))


@pytest.mark.parametrize("omega", [1.0, 8.0])
def test_with_the_true_friction_it_sees_what_the_feet_do(crawler, omega):
    # the joints here do not move with constant acceleration within a tick, as the observer supposes
    right, error = compare(crawler, omega)
    assert right > 0.995
    assert error < 0.5e-3


@pytest.mark.parametrize("friction_error", [0.9, 1.1])
@pytest.mark.parametrize(("omega", "typical"), [(1.0, 0.046), (8.0, 0.28)])
def test_friction_that_is_off_by_a_tenth_costs_little_and_odometry_halves_it(crawler, omega, typical, friction_error):
    alone, blind = compare(crawler, omega, friction_error)
    helped, seen = compare(crawler, omega, friction_error, gain=0.3)
    assert alone > 0.97
    assert blind < 0.05 * typical  # of the feet's own velocity
    assert helped >= alone
    assert seen < 0.6 * blind


def test_noise_of_an_encoder_does_not_upset_it(crawler):
    # 0.5 mrad on angles (12 bits a turn) and 5 mrad/s on rates
    right, error = compare(crawler, 8.0, gain=0.3, noise=5e-4)
    assert right > 0.97
    assert error < 0.02


def test_what_it_says_is_marked_as_estimated_and_carries_the_weight(crawler):
    observer = ContactObserver(ThreeLink.from_parameters(crawler.parameters), FEET)
    for k in range(3):
        feet = observer.update(k * 2_000_000, [1.92, 1.92], [0.0, 0.0])
    assert [(foot.foot, foot.source, foot.mode) for foot in feet] == [
        (name, ContactSource.ESTIMATED, ContactMode.STICK) for name in FEET
    ]
    assert sum(foot.force[2] for foot in feet) == pytest.approx(0.236 * 9.81)


def test_where_the_equations_end_it_says_unknown_and_begins_again(crawler):
    observer = ContactObserver(ThreeLink.from_parameters(crawler.parameters), FEET)
    observer.update(0, [1.92, 1.92], [0.0, 0.0])
    leap = observer.update(2_000_000, [1.92, 1.92], [8.0, 8.0])  # 4000 rad/s²: it would jump
    assert [foot.mode for foot in leap] == [ContactMode.UNKNOWN] * 2
    assert all(math.isnan(foot.slip_velocity[0]) for foot in leap)
    again = observer.update(4_000_000, [1.92, 1.92], [8.0, 8.0])
    assert ContactMode.UNKNOWN not in [foot.mode for foot in again]


def test_a_gap_in_time_and_a_restart_begin_anew(crawler):
    observer = ContactObserver(ThreeLink.from_parameters(crawler.parameters), FEET)
    for time_ns in (5_000_000_000, 9_000_000_000, 1_000_000):
        feet = observer.update(time_ns, [1.92, 1.92], [0.0, 0.0])
        assert [foot.mode for foot in feet] == [ContactMode.STICK] * 2
    observer.restart()
    assert observer.contacts == ()
