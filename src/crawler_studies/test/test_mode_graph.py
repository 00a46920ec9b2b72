"""The graphs of contact modes say what the equations do."""

import pytest

from crawler_core.robot.robot_file import load_robot
from crawler_core.types import ContactMode
from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.equations.foot_mode import ALL_MODES, ROS_MODE
from crawler_studies.gait_analysis.mode_graph import (
    BREAKS,
    LANDS,
    LIFTS,
    MIN_USUAL_RATE,
    STOPS,
    count_modes,
    draw_modes,
    event,
    possible_states,
)
from crawler_studies.study.study_case import StudyCase

AIR, STICK, AHEAD, BACK = ContactMode.OPEN, ContactMode.STICK, ContactMode.SLIP_POS, ContactMode.SLIP_NEG


def test_a_graph_has_every_mode_that_the_equations_know():
    assert set(possible_states(load_robot("three_link"), ("foot_1", "foot_2"))) == {
        (ROS_MODE[first], ROS_MODE[second]) for first, second in ALL_MODES
    }
    assert set(possible_states(load_robot("bolt"), ("foot",))) == {(AIR,), (STICK,), (AHEAD,), (BACK,)}


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ((AIR,), (STICK,), LANDS),
        ((AHEAD,), (AIR,), LIFTS),
        ((STICK,), (BACK,), BREAKS),
        ((BACK,), (STICK,), STOPS),
        ((BACK,), (AHEAD,), STOPS),
        ((STICK, AHEAD), (AHEAD, BACK), STOPS),  # foot 2 comes to rest, and both give way
    ],
)
def test_what_ends_a_mode_is_told_by_what_changes(before, after, what):
    assert event(before, after) == what


def test_the_strong_arrows_of_three_link_are_the_switches_of_the_event_driven_solver():
    """The graph watches a run tick by tick; the solver finds the events of the steady cycle by themselves."""
    case = StudyCase("three_link", settings={"gait": {"omega": 4.0}})
    (seen,) = count_modes(case, seconds=1.0)
    spec, gait = case.at({})
    found = [mode for _, mode in crawl(ThreeLink.from_parameters(spec.parameters), gait).switches]
    cycle = [(ROS_MODE[first], ROS_MODE[second]) for first, second in found]
    assert {change for change, rate in seen.transitions.items() if rate >= MIN_USUAL_RATE} == set(
        zip([cycle[-1], *cycle], cycle, strict=False)
    )
    assert sum(seen.shares.values()) == pytest.approx(1.0)


@pytest.mark.exhaustive  # half a minute of walks; the graph of two feet is a test in every run
def test_the_trot_of_miniaq_is_on_its_hind_feet_nearly_all_the_time(tmp_path):
    drawing = draw_modes(StudyCase("miniaq"))
    table = drawing.tables[""]
    air = table["share_of_time"][table["mode_of_the_first"] == AIR]
    assert air[:2] == pytest.approx([0.5, 0.5], abs=0.02)  # docs/miniaq.md: duty 0.50 in front, 0.97 behind
    assert air[2:] == pytest.approx([0.03, 0.03], abs=0.02)
    picture, _ = drawing.save(tmp_path)
    assert picture.name == "modes.png"
