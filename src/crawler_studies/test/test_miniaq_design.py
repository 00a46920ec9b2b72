"""The search for gaits: better than the trot, by the rules, and the same every time."""

import itertools
import math

import numpy as np
import pytest
from matplotlib.figure import Figure

from crawler_core.errors import UserError
from crawler_core.parameters import describe
from crawler_core.robot.robot_file import load_robot
from crawler_models.miniaq.equations.four_bar import pins, turns_round
from crawler_models.miniaq.equations.quadruped import Quadruped
from crawler_studies.miniaq.design.columns import COLUMNS
from crawler_studies.miniaq.design.designer import DESIGNER
from crawler_studies.miniaq.design.evaluated_gait import INVALID_PENALTY, EvaluatedGait, GaitScore, evaluate_gait
from crawler_studies.miniaq.design.gait_goal import ALL, GaitGoal
from crawler_studies.miniaq.design.pareto_front import find_undominated, pareto_front
from crawler_studies.miniaq.design.physics_check import check_in_physics
from crawler_studies.miniaq.design.space import GaitSpace
from crawler_studies.study.study_case import StudyCase

ROBOT = "miniaq"
PAPERS = {"gait.frequency": (2.5, 2.5)}


@pytest.fixture(scope="module")
def trot():
    return StudyCase(ROBOT, "trot")


def search(case, goal, seed=0, only="gait", **ranges):
    known = {name: ends for name, ends in DESIGNER.ranges(case).items() if name.startswith(only)}
    heard = []
    plan = DESIGNER.plan(case, goal, {**known, **PAPERS, **ranges}, seed)
    return plan.run(lambda evaluated, words: heard.append((evaluated, words)), lambda: False), heard


@pytest.mark.exhaustive  # a search over everything is in every run
def test_a_short_search_over_the_phases_alone_finds_a_trot_that_misses_less(trot):
    goal = GaitGoal(budget=40, physics=False, least_speed=0.05)
    found, heard = search(trot, goal)
    assert found.better
    assert found.new["mismatch"] < found.old["mismatch"] - 0.01
    assert found.new["speed_m_s"] > 0.05
    assert heard[-1][0] <= 40
    assert set(found.settings) == {"gait.frequency", "gait.ahead_fr", "gait.ahead_hl", "gait.ahead_hr"}
    again, _ = search(trot, goal)
    assert again.settings == found.settings
    # what it says is what the equations say
    alone = evaluate_gait(trot, found.settings).found
    for key in ("mismatch", "speed_m_s", "cost_of_transport"):
        assert found.new[key] == alone[key]
    assert not math.degrees(abs(alone["yaw_per_stride_rad"])) > goal.most_turn
    found.draw(Figure())


def test_everything_at_once_keeps_a_front_that_no_gait_beats(trot):
    found, _ = search(trot, GaitGoal(aim=ALL, budget=40, physics=False))
    table = found.table
    costs = np.column_stack([table["mismatch"], -table["speed_m_s"], table["cost_of_transport"]])
    assert find_undominated(costs).all()
    assert len(table["gait.ahead_fr"]) == len(costs)
    assert any("not converged" in note for note in found.notes)


def test_a_gait_that_stands_still_or_goes_back_or_turns_does_not_count(trot):
    right = evaluate_gait(trot, {})
    score = GaitScore(GaitGoal(), "mismatch", right)
    pronk = evaluate_gait(trot, {"gait.ahead_fr": 180.0, "gait.ahead_hl": 180.0})
    assert pronk.valid
    assert abs(pronk.found["speed_m_s"]) < 0.02
    back = evaluate_gait(trot, {"gait.frequency": -2.5})
    spin = evaluate_gait(trot, {"gait.turn": 1.0})
    for other in (pronk, back, spin):
        assert not score.meets_goal(other)
        assert score(other) < -1000.0 < score(right)
    strict = GaitScore(GaitGoal(least_speed=0.2), "mismatch", right)
    assert strict(back) < strict(pronk) < strict(right) < -1000.0  # by how far they are from it


def test_a_robot_that_cannot_stand_is_less_than_any_that_can(trot):
    right = evaluate_gait(trot, {})
    fallen = evaluate_gait(trot, {"robot.front_x": -0.03, "robot.hind_x": -0.04})
    assert not fallen.valid
    assert fallen.found["reason"]
    score = GaitScore(GaitGoal(), ALL, right)
    assert score(fallen) < INVALID_PENALTY
    assert score(right) == -1.0  # it is as good as itself


def test_the_front_is_what_none_beats_in_everything():
    costs = np.array([[1.0, 5.0, 1.0], [2.0, 4.0, 1.0], [2.0, 5.0, 1.0], [3.0, 3.0, 3.0], [1.0, 5.0, 1.0]])
    assert find_undominated(costs).tolist() == [True, True, False, True, True]
    evaluated = [
        EvaluatedGait({}, {"valid": True, "mismatch": m, "speed_m_s": -s, "cost_of_transport": c})
        for m, s, c in costs[:4]
    ]
    assert [each.found["mismatch"] for each in pareto_front(evaluated)] == [1.0, 2.0, 3.0]


def test_places_beyond_the_cube_come_back_in_and_angles_come_round(trot):
    space = GaitSpace.of(trot, {**DESIGNER.ranges(trot), "robot.motor_y": (0.02, 0.02)})
    assert "robot.motor_y" not in space.names
    random = np.random.default_rng(2)
    for x in random.uniform(-3.0, 4.0, (50, len(space.names))):
        point = space.point(x)
        assert point["robot.motor_y"] == 0.02
        for name, (low, high) in DESIGNER.ranges(trot).items():
            assert low <= point[name] <= high
        whole = x + np.where(space.periodic, 1.0, 2.0)  # a mirror and its mirror, or once round
        assert space.point(whole) == point
        assert space.distance(x, whole) < 1e-9
    inside = random.uniform(0.0, 1.0, len(space.names))
    np.testing.assert_allclose(space.place(space.point(inside)), inside, atol=3e-3)  # half of 0.01 mm in 1.8 mm


def test_every_body_that_is_searched_turns_its_legs_and_keeps_its_phase_0(trot):
    ranges = DESIGNER.ranges(trot)
    crank = np.radians(np.arange(0.0, 360.0, 0.1))
    for l_2, l_5 in itertools.product(ranges["robot.crank_length"], ranges["robot.shin_length"]):
        leg = Quadruped.from_parameters(load_robot(ROBOT, {"crank_length": l_2, "shin_length": l_5}).parameters)
        assert turns_round(leg)
        lowest = np.degrees(crank[np.argmin(pins(leg, crank).E.imag)])
        assert lowest == pytest.approx(135.0, abs=3.0)


def test_a_search_stops_when_it_is_told_to_with_the_best_so_far(trot):
    heard = []
    plan = DESIGNER.plan(trot, GaitGoal(budget=500, physics=False), DESIGNER.ranges(trot), 0)
    found = plan.run(lambda evaluated, words: heard.append(evaluated), lambda: len(heard) >= 8)
    assert len(heard) <= 8 + 12  # a generation
    assert found is not None


def test_ranges_in_which_nothing_walks_are_said_to_be_so(trot):
    found, heard = search(trot, GaitGoal(budget=10, physics=False, least_speed=0.5), **{"gait.frequency": (1.0, 1.1)})
    assert found is None
    assert "0.5 m/s" in heard[-1][1]


def test_parameters_that_are_all_kept_are_judged_once(trot):
    kept = dict.fromkeys(("gait.ahead_fr", "gait.ahead_hl", "gait.ahead_hr"), (0.0, 0.0))
    found, heard = search(trot, GaitGoal(physics=False), **kept)
    assert [evaluated for evaluated, _ in heard] == [1]
    assert not found.better
    assert found.new == pytest.approx(found.old, nan_ok=True)


def test_ranges_that_are_not_allowed_are_sentences(trot):
    with pytest.raises(UserError, match=r"range of gait.frequency, 1 to 50, is not allowed"):
        DESIGNER.plan(trot, GaitGoal(), {"gait.frequency": (1.0, 50.0)}, 0)


FOUND = {  # by the default search, docs/miniaq.md
    "mismatch": (3.68, 0.0, -7.2, -7.2, 0.00557, -0.03977, 0.02629, 0.00548, 0.0271),
    "speed": (4.98, 1.5, 49.7, 47.1, 0.00768, -0.03897, 0.02603, 0.00599, 0.03039),
}


def test_what_the_search_found_is_better_than_the_trot_by_the_equations(trot):
    right = evaluate_gait(trot, {})
    for aim, values in FOUND.items():
        found = evaluate_gait(trot, dict(zip(DESIGNER.ranges(trot), values, strict=True)), GaitGoal().margin)
        score = GaitScore(GaitGoal(), aim, right)
        assert score.meets_goal(found)
        assert score(found) > score(right)
        # by more than any error of phase would change it
        assert found.found["mismatch"] < 0.15 if aim == "mismatch" else found.found["speed_m_s"] > 0.22


@pytest.mark.exhaustive
def test_and_in_physics(trot):
    """The quick sibling is above: physics takes half a minute."""
    for aim, values in FOUND.items():
        gait = evaluate_gait(trot, dict(zip(DESIGNER.ranges(trot), values, strict=True)))
        confirmed = check_in_physics(trot, aim, [gait])
        assert confirmed.better, confirmed.notes
        assert not confirmed.notes


def test_every_wish_has_a_default_that_is_allowed_and_every_column_is_filled(trot):
    for info in describe(GaitGoal):
        assert info.doc
        if info.type is float:
            assert info.lower <= info.default <= info.upper
    found, _ = search(trot, GaitGoal(budget=10, physics=False))
    keys = {column.key for column in COLUMNS}
    assert set(found.old) == set(found.new) == keys
    filled = {key for key, value in found.new.items() if not math.isnan(value)}
    assert keys - filled == {key for key in keys if key.startswith("physics_")}
