"""Cranks that turn evenly, and how they are brought to it without being faster on the way."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from gait_generators.kinds.crank import Crank
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.transitions.gait_stream import GaitStream, TimeGrid
from gait_generators.transitions.hold import Hold
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
from gait_generators.transitions.transition import plan_transition

MS = 1_000_000


def with_cranks(count):
    """A robot with so many joints that turn for ever, and one with limits."""
    spec = load_robot("three_link")
    limited = dataclasses.replace(spec.joints[0], name="limited", home=1.9)
    crank = dataclasses.replace(
        spec.joints[0], continuous=True, lower=-math.inf, upper=math.inf, home=0.5, velocity=40.0, acceleration=4000.0
    )
    cranks = [dataclasses.replace(crank, name=f"crank_{i}") for i in range(count)]
    return dataclasses.replace(spec, joints=(*cranks, limited))


def from_rest(spec, gait, pose):
    rest = Hold(np.array(pose))
    return plan_transition(spec, rest, PhaseShiftedGait.after(spec, rest, gait, 0.0), 0.0, gait.period)


def test_each_crank_turns_ahead_of_home_by_its_phase_and_a_limited_joint_stays_at_home():
    gait = make_gait(with_cranks(3), "crank", {"omega": -4.0, "phases": "0, 180,90,17"})
    q, v, a = gait.sample(np.array([0.0, 0.25, gait.period]))
    assert q[0] == pytest.approx([0.5, 0.5 + math.pi, 0.5 + math.pi / 2, 1.9])
    assert q[1] - q[0] == pytest.approx([-1.0, -1.0, -1.0, 0.0])
    assert q[2] - q[0] == pytest.approx([-2 * math.pi] * 3 + [0.0])
    assert v[1].tolist() == [-4.0, -4.0, -4.0, 0.0]
    assert not a.any()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"omega": 0.0}, "gait.omega = 0 rad/s is too slow: it must be at least 0.05 rad/s."),
        (
            {"phases": "0,180"},
            "one number of degrees, or 3 separated by commas for crank_0, crank_1, limited.",
        ),
        ({"phases": "0,x,180"}, "gait.phases = '0,x,180' is not allowed"),
        ({"phases": "nan"}, "gait.phases = 'nan' is not allowed"),
    ],
)
def test_what_cannot_be_turned_is_refused_in_a_sentence(values, sentence):
    with pytest.raises(UserError) as refused:
        make_gait(with_cranks(2), "crank", values)
    assert sentence in str(refused.value)


def test_a_robot_without_cranks_is_told_the_gaits_that_it_can_have():
    with pytest.raises(UserError, match="'crank' turns continuous joints, and three_link has no actuated one: choose"):
        make_gait(load_robot("three_link"), "crank", {})


@given(
    st.floats(0.5, 30.0).flatmap(lambda w: st.sampled_from((w, -w))),
    st.lists(st.floats(-180.0, 180.0), min_size=3, max_size=3),
    st.lists(st.floats(-20.0, 20.0), min_size=2, max_size=2),
)
def test_a_start_from_rest_never_turns_back_and_never_faster_than_the_gait(omega, phases, pose):
    spec = with_cranks(2)
    gait = make_gait(spec, "crank", {"omega": omega, "phases": ",".join(map(str, phases))})
    blend = from_rest(spec, gait, [*pose, 1.7])
    assert 0.0 < blend.end <= 2 * gait.period + 2.0  # the wait for the phase and the change of pace
    t = np.linspace(0.0, blend.end + gait.period, 3001)
    speed = blend.sample(t).velocity[:, :2] * math.copysign(1.0, omega)
    assert speed.min() >= 0.0
    assert speed.max() <= abs(omega) * (1 + 1e-12)
    assert np.diff(speed, axis=0).min() >= -1e-12 * abs(omega)
    # at the end it is the gait itself, but for whole turns
    turns = (blend.sample(blend.end).position - gait.sample(blend.end).position)[:2] / (2 * math.pi)
    assert turns == pytest.approx(np.round(turns), abs=1e-12)


def test_the_start_has_no_jump_and_its_derivatives_are_those_of_its_positions():
    spec = with_cranks(2)
    gait = make_gait(spec, "crank", {"omega": 9.0, "phases": "0,140,0"})
    blend = from_rest(spec, gait, [0.5, 0.5, 1.7])
    t = np.linspace(-0.1, blend.end + 0.3, 20001)
    h = t[1] - t[0]
    q, v, a = blend.sample(t)
    assert q[0] == pytest.approx([0.5, 0.5, 1.7])
    # central differences: h² / 6 times a third derivative of below 6 omega / duration² = 110; a kink leaves h times it
    np.testing.assert_allclose((q[2:] - q[:-2]) / (2 * h), v[1:-1], atol=1e-6)
    np.testing.assert_allclose((v[2:] - v[:-2]) / (2 * h), a[1:-1], atol=0.03)
    for when in (0.13, 0.5):  # a single time has the bits that it has among others
        assert (blend.sample(when).position == blend.sample(np.array([when, 0.2])).position[0]).all()


@pytest.mark.parametrize("faster", [13.0, 4.0, -9.0])
def test_a_change_of_pace_on_the_way_stays_between_the_two_paces(faster):
    spec = with_cranks(2)
    start = np.array([0.5, 0.5, 1.9])
    grid = TimeGrid(step=10 * MS, ahead=250 * MS, behind=50 * MS)
    stream = GaitStream(spec, make_gait(spec, "crank", {"omega": 9.0, "phases": "0,180,0"}), 0, start, grid)
    stream.points(5000 * MS)
    stream.adopt(stream.transition_to(make_gait(spec, "crank", {"omega": faster, "phases": "0,180,0"}), 5000 * MS))
    rows = [stream.points(now * MS) for now in range(5050, 15000, 50)]
    speed = np.vstack([row.velocity[:-1] for row in rows])[:, :2]
    low, high = sorted((9.0, faster))
    assert speed.min() >= low - 1e-9
    assert speed.max() <= high + 1e-9
    assert speed[-1] == pytest.approx([faster, faster])


def test_other_phases_on_the_way_are_reached_by_a_blend():
    """Without a difference of pace nothing brings a crank into another phase."""
    spec = with_cranks(2)
    old = PhaseShiftedGait(make_gait(spec, "crank", {"omega": 9.0}), 0.0, np.zeros(3))
    gait = make_gait(spec, "crank", {"omega": 9.0, "phases": "0,90,0"})
    assert isinstance(gait, Crank)
    blend = plan_transition(spec, old, PhaseShiftedGait.after(spec, old, gait, 0.0), 0.0, gait.period)
    q, v, _ = blend.sample(blend.end)
    assert q == pytest.approx(gait.sample(blend.end).position)
    assert v == pytest.approx([9.0, 9.0, 0.0])
