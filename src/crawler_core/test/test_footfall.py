"""Footfall: numbers that follow by hand from made-up feet."""

import numpy as np
import pytest

from crawler_core.gait_metrics.classical_gaits import CLASSICAL, nearest_gait
from crawler_core.gait_metrics.footfall import mean_cycle, measure_footfall, whole_cycles

PERIOD = 0.4
TIMES = np.arange(0.0, 5.0 * PERIOD + 1e-9, 1e-3)  # s; samples stand for the millisecond before them
CUTS = whole_cycles(0.0, TIMES[-1], PERIOD)
FEET = ("fl", "fr", "hl", "hr")


def standing(ahead, duty, times=TIMES):
    """Whether feet that are ahead by these fractions of a cycle are down, in the middle of each sample's interval."""
    phase = (times[:, np.newaxis] - 0.5e-3) / PERIOD + np.asarray(ahead)
    return np.abs(phase - np.round(phase)) < 0.5 * np.asarray(duty)


def test_shares_of_time_follow_from_the_windows():
    down = standing((0.0, 0.5, 0.5, 0.0), 0.75)
    found = measure_footfall(TIMES, down, np.zeros(down.shape), CUTS, FEET)
    # the pairs' windows of three quarters overlap for half of the time
    assert found.duty == pytest.approx([0.75] * 4, abs=1e-9)
    assert found.feet_down_shares == pytest.approx([0.0, 0.0, 0.5, 0.0, 0.5], abs=1e-9)
    assert found.feet_down == pytest.approx(3.0)
    assert found.share_with_at_least(3) == pytest.approx(0.5)
    assert (found.cycles, found.period) == (5, pytest.approx(PERIOD))


def test_impulses_and_drag_are_those_of_a_cycle():
    down = np.ones((len(TIMES), 2), dtype=bool)
    force = np.full((len(TIMES), 2), 3.0)
    force[:, 1] = np.where((TIMES - 0.5e-3) % PERIOD < 0.1, -2.0, 1.0)
    found = measure_footfall(TIMES, down, force, CUTS, ("a", "b"))
    assert found.forward == pytest.approx([1.2, 0.3])
    assert found.backward == pytest.approx([0.0, 0.2])
    assert found.drag == pytest.approx([0.0, 0.4])
    assert found.total_drag == pytest.approx(0.2 / 1.7)
    assert found.backward_share == pytest.approx([0.0, 0.25])
    assert found.nearest is None  # of two feet


def test_mismatch_is_the_share_of_the_feets_time_that_is_not_as_meant():
    intended, down = standing((0.0, 0.5, 0.5, 0.0), 0.5), standing((0.0, 0.5, 0.4, 0.0), 0.5)
    found = measure_footfall(TIMES, down, np.zeros(down.shape), CUTS, FEET, intended)
    # a foot that is early by a tenth of a cycle is wrong for a tenth at each end
    assert found.mismatch_shares == pytest.approx([0.0, 0.0, 0.2, 0.0], abs=1e-9)
    assert found.mismatch == pytest.approx(0.05)
    assert np.isnan(measure_footfall(TIMES, down, np.zeros(down.shape), CUTS, FEET).mismatch)


def test_only_whole_cycles_count():
    down = standing((0.0,), 0.5)
    down[TIMES < 2.0 * PERIOD] = True
    force = np.where(TIMES < 2.0 * PERIOD, np.nan, 1.0)[:, np.newaxis]
    found = measure_footfall(TIMES, down, force, whole_cycles(2.1 * PERIOD, TIMES[-1], PERIOD), ("foot",))
    assert found.cycles == 2
    assert found.duty == pytest.approx([0.5])
    assert found.forward == pytest.approx([PERIOD])
    with pytest.raises(ValueError, match="no whole cycle"):
        measure_footfall(TIMES, down, force, whole_cycles(0.0, 0.9 * PERIOD, PERIOD), ("foot",))


def test_an_unknown_force_makes_only_its_own_foots_impulse_unknown():
    down = np.ones((len(TIMES), 2), dtype=bool)
    force = np.ones((len(TIMES), 2))
    force[:, 0] = np.nan
    found = measure_footfall(TIMES, down, force, CUTS, ("a", "b"))
    assert np.isnan(found.forward[0])
    assert np.isnan(found.drag[0])
    assert np.isnan(found.backward_share).tolist() == [True, False]
    assert found.forward[1] == pytest.approx(PERIOD)
    assert np.isnan(found.total_drag)
    down[:, 0] = False  # a foot in the air gets no force, though nobody says so
    assert measure_footfall(TIMES, down, force, CUTS, ("a", "b")).forward[0] == 0.0


@pytest.mark.parametrize("name", CLASSICAL)
@pytest.mark.parametrize("duty", [0.3, 0.75])
def test_each_classical_gait_is_recognised_wherever_its_cycle_begins(name, duty):
    for ahead in CLASSICAL[name]:
        down = standing(np.add(ahead, 0.137), duty)
        nearest = measure_footfall(TIMES, down, np.zeros(down.shape), CUTS, FEET).nearest
        assert nearest.name == name
        assert nearest.distance < 2e-3  # a sample of a millisecond is 1/400 of the cycle
        assert nearest.grounded is (duty > 0.5)


def test_the_distance_to_a_gait_is_by_how_much_the_feet_are_off():
    # one foot a tenth of a cycle off: after the best shift 3/4 of that on it and 1/4 on the others
    nearest = nearest_gait((0.0, 0.5, 0.6, 0.0), [0.5] * 4)
    assert nearest.name == "trot"
    assert nearest.distance == pytest.approx(0.1 * np.sqrt(3.0) / 4.0)
    assert nearest_gait((0.97, 0.5, 0.5, 0.0), [0.5] * 4).distance == pytest.approx(0.03 * np.sqrt(3.0) / 4.0)


def test_a_foot_that_never_lifts_leaves_the_gait_without_a_name():
    down = standing((0.0, 0.5, 0.5, 0.0), (0.5, 0.5, 1.01, 0.5))
    found = measure_footfall(TIMES, down, np.zeros(down.shape), CUTS, FEET)
    assert np.isnan(found.phases).tolist() == [False, False, True, False]
    assert found.nearest is None


def test_a_duty_of_half_tells_walking_from_running():
    assert str(nearest_gait((0.0, 0.5, 0.5, 0.0), [0.75] * 4)) == "walking trot"
    assert str(nearest_gait((0.0, 0.5, 0.5, 0.0), [0.3] * 4)) == "trot"
    assert str(nearest_gait((0.75, 0.25, 0.0, 0.5), [0.75] * 4)) == "walk"
    assert str(nearest_gait((0.75, 0.25, 0.0, 0.5), [0.3] * 4)) == "running walk"


def test_the_mean_cycle_is_what_all_cycles_share():
    values = np.sin(2.0 * np.pi * (TIMES - 0.5e-3) / PERIOD)
    mean = mean_cycle(TIMES - 0.5e-3, values, CUTS, 8)
    middles = (np.arange(8) + 0.5) / 8
    # the mean of a sine over an eighth of its period is below its value in the middle by sinc(1/8)
    assert mean == pytest.approx(np.sinc(1 / 8) * np.sin(2.0 * np.pi * middles), abs=1e-4)
