"""What MinIAQ's equations say of its gaits at 2.5 Hz, and where they say no."""

import math
from dataclasses import replace

import numpy as np
import pytest
from miniaq_cases import LOWEST, PHASES, RATES, ROBOT, cranks

from crawler_models.miniaq.walks.statics import standing
from crawler_models.miniaq.walks.walk import Fallen, walk

STRIDE = 400  # samples, one every millisecond
SETTLED = slice(2001, 2001 + 5 * STRIDE)  # five strides, after 2 s
LEFT_BACK = RATES * [-1.0, 1.0, -1.0, 1.0]  # turns left in place


@pytest.fixture(scope="module")
def gaits():
    return {name: walk(ROBOT, cranks(name), RATES, 5.0) for name in PHASES}


@pytest.fixture(scope="module")
def trot(gaits):
    return gaits["trot"]


@pytest.fixture(scope="module")
def turning():
    return walk(ROBOT, cranks("trot"), LEFT_BACK, 5.0)


def forward(found):
    """The force on each foot along the heading (N)."""
    yaw = found.rpy[:, 2, None]
    return (found.force[..., 0] * np.cos(yaw) + found.force[..., 1] * np.sin(yaw))[SETTLED]


def down(found):
    return found.force[SETTLED, :, 2] > 0.0


def speed(found):
    """Along the ground, between strides (m/s)."""
    return float(np.hypot(*(found.position[4000] - found.position[2000])[:2])) / 2.0


def test_trot_has_three_feet_down_most_of_the_time(trot):
    """The paper: almost over the entire cycle it runs on three legs, not the two of an ideal trot."""
    share = (down(trot).sum(axis=1) >= 3).mean()
    assert share > 0.85
    assert share == pytest.approx(0.935, abs=0.005)  # measured, to keep


def test_trots_hind_feet_are_down_much_longer_than_the_front_ones(trot):
    duty = down(trot).mean(axis=0)
    np.testing.assert_allclose(duty, [0.50, 0.50, 0.965, 0.965], atol=0.005)  # measured
    assert duty[2:].min() > duty[:2].max() + 0.3


def test_trots_hind_legs_are_dragged_backwards_longer(trot):
    backward = (forward(trot) < 0.0).mean(axis=0)
    assert backward[2:].min() > 3.0 * backward[:2].max()
    assert backward[2:].min() > 0.5


def test_trot_rolls_and_pitches_as_the_papers_figure_5(trot):
    roll, pitch = np.degrees(trot.rpy[SETTLED, :2].T)
    assert 2.0 < roll.max() < 3.0
    assert -3.0 < roll.min() < -2.0
    assert -2.3 < pitch.min() < -2.0
    assert -0.1 < pitch.max() < 0.1


def test_trot_repeats_itself_from_stride_to_stride(trot):
    for strides in (2, 3, 4):
        later = 2000 + strides * STRIDE
        now, then = trot.rpy[2000 : 2000 + STRIDE, :2], trot.rpy[later : later + STRIDE, :2]
        np.testing.assert_allclose(now, then, atol=1e-7)
    steps = np.hypot(*np.diff(trot.position[2000::STRIDE, :2], axis=0).T)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-6)
    assert 1e3 * steps[0] == pytest.approx(48.67, abs=0.01)  # mm, measured


def test_the_second_half_of_a_trot_mirrors_the_first(trot):
    now, later = trot.rpy[2000:2400, :2], trot.rpy[2200:2600, :2]
    np.testing.assert_allclose(later, now * [-1.0, 1.0], atol=1e-7)
    np.testing.assert_allclose(trot.force[2200:2600, [1, 0, 3, 2], 2], trot.force[2000:2400, :, 2], atol=2e-5)


def test_trot_hardly_turns(trot):
    assert abs(math.degrees(trot.rpy[4000, 2] - trot.rpy[2000, 2])) < 0.1


def test_turning_in_place_is_nearly_linear_and_to_the_left(turning):
    """The paper's Fig. 7."""
    yaw, times = turning.rpy[:, 2], turning.times
    slope, start = np.polyfit(times, yaw, 1)
    assert math.degrees(slope) == pytest.approx(96.6, abs=0.5)  # measured
    assert np.abs(np.degrees(yaw - slope * times - start)).max() < 8.0  # of 480 degrees
    assert np.abs(turning.position[:, :2]).max() < 0.03  # m


def test_the_other_way_round_it_turns_right_as_fast(turning):
    right = walk(ROBOT, cranks("trot"), -LEFT_BACK, 5.0)
    last = slice(2000, None, 2000)
    left_rate, right_rate = (np.diff(each.rpy[last, 2])[0] for each in (turning, right))
    assert right_rate == pytest.approx(-left_rate, rel=1e-3)


def test_the_other_gaits_run_and_pace_and_pronk_barely_advance(gaits):
    speeds = {name: speed(found) for name, found in gaits.items()}
    assert speeds["trot"] == pytest.approx(0.1215, abs=5e-4)
    for name in ("pace", "pronk"):
        assert speeds[name] < 0.15 * speeds["trot"]
    for name in ("walk", "bound"):
        assert 0.3 * speeds["trot"] < speeds[name] < 0.6 * speeds["trot"]


def test_the_cranks_pay_for_what_is_rubbed_away(gaits):
    for found in gaits.values():
        strides = found.power[SETTLED].mean()
        assert 1e-4 < strides < 1e-2  # W: they give in all, and the ground takes it


def test_where_the_ground_only_pushes_no_force_points_down():
    found = walk(replace(ROBOT, pulls=False), cranks("trot"), RATES, 2.0)
    assert found.force[..., 2].min() >= 0.0
    assert np.hypot(*found.position[-1, :2]) == pytest.approx(0.24, abs=0.02)


def test_cranks_that_rest_leave_it_where_it_stands():
    found = walk(ROBOT, cranks("walk"), np.zeros(4), 1.0)
    np.testing.assert_allclose(found.position, np.tile(found.position[0], (1001, 1)), atol=1e-9)
    assert found.power.max() == 0.0


def test_it_begins_where_it_is_told_to():
    start = standing(ROBOT, cranks("trot")) + np.array([3.0, -2.0, 0, 0, 0, 1.0, 0, 0, 0, 0, 0, 0])
    moved, plain = walk(ROBOT, cranks("trot"), RATES, 0.2, start=start), walk(ROBOT, cranks("trot"), RATES, 0.2)
    ahead = (plain.position - plain.position[0])[:, :2] @ [
        [math.cos(1.0), math.sin(1.0)],
        [-math.sin(1.0), math.cos(1.0)],
    ]
    np.testing.assert_allclose(moved.position[:, :2] - [3.0, -2.0], ahead, atol=1e-9)
    np.testing.assert_allclose(moved.rpy - [0.0, 0.0, 1.0], plain.rpy, atol=1e-8)


def test_a_narrow_robot_tips_over():
    with pytest.raises(Fallen, match=r"^The robot tips over: .* 60 degrees\. That is after 0\.\d+ s\.$"):
        walk(replace(ROBOT, y_left=0.008), cranks("pace"), RATES, 3.0)


def test_a_thick_robot_lies_on_its_body():
    with pytest.raises(Fallen, match="its body lies on the ground"):
        walk(replace(ROBOT, thickness=0.078), cranks("trot"), RATES, 3.0)


def test_a_four_bar_that_cannot_turn_is_refused():
    with pytest.raises(ValueError, match="cannot turn all the way round"):
        walk(replace(ROBOT, l_2=0.02), np.full(4, LOWEST), RATES, 1.0)


def test_a_friction_curve_that_runs_backwards_is_refused():
    with pytest.raises(ValueError, match="speed_static must be above 0 and below its speed_dynamic"):
        walk(replace(ROBOT, V_s=0.02), np.full(4, LOWEST), RATES, 1.0)


@pytest.mark.parametrize(
    ("rates", "seconds", "says"),
    [([1.0, 2.0], 1.0, "Four cranks"), ([math.nan] * 4, 1.0, "Four cranks"), ([1.0] * 4, 0.0, "no walk")],
)
def test_numbers_that_are_none_are_refused(rates, seconds, says):
    with pytest.raises(ValueError, match=says):
        walk(ROBOT, cranks("trot"), rates, seconds)
