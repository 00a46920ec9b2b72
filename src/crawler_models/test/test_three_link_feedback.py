"""The feedback law (19) in continuous time: its matrices, its trajectory by a second solver, its steady crawl."""

import itertools
import math

import numpy as np
import pytest
import three_link_reference as reference
from scipy.integrate import trapezoid
from three_link_cases import Harmonic, random_robot, robot
from three_link_matrices import contact_acceleration_map

from crawler_models.three_link.equations.closed_chain import closed_chain
from crawler_models.three_link.equations.contact_map import SingularContacts, slopes
from crawler_models.three_link.feedback.closed_loop import ClosedLoop
from crawler_models.three_link.feedback.feedback_crawl import feedback_crawl
from crawler_models.three_link.feedback.feedback_law import (
    FeedbackLaw,
    JointReference,
    contact_reference,
    contact_tracking,
    joint_tracking,
)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mode", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_the_closed_chain_gives_the_inverse_dynamics_matrices_of_the_paper(seed, mode):
    rng = np.random.default_rng(seed)
    rb = random_robot(rng)
    q, dq = rng.uniform(1.5, 2.5, 2), rng.uniform(-3, 3, 2)
    s1, s0 = contact_acceleration_map(rb, *reference.grounded_state(rb, q, dq, 0.1), mode)
    ours = slopes(rb, tuple(q), tuple(dq)).contact_map(rb, mode)
    # both are closed forms; the block matrix has a condition number of about 1e5
    assert np.array(ours.s1) == pytest.approx(s1, abs=1e-9)
    assert np.array(ours.s0) == pytest.approx(s0, abs=1e-8)
    ddq = ours.joint_accelerations((0.3, -0.7))
    assert s1 @ ddq + s0 == pytest.approx([0.3, -0.7], abs=1e-7)


def test_a_flat_robot_has_no_contact_accelerations_to_command():
    with pytest.raises(SingularContacts):
        slopes(robot(), (math.pi, math.pi), (0.0, 0.0)).contact_map(robot(), (1, -1)).joint_accelerations((1.0, 0.0))


def test_each_foot_is_to_advance_for_half_of_the_cycle_and_the_other_to_stand():
    motion = Harmonic(8.0)
    t = np.linspace(0.0, motion.period, 400, endpoint=False)
    speeds = []
    for q, dq, ddq in zip(*motion.sample(t), strict=True):
        v = contact_reference(robot(), JointReference(tuple(q), tuple(dq), tuple(ddq))).v
        assert min(v) <= 0.0  # the paper's x: against the direction of travel
        assert max(v) == 0.0
        speeds.append(v)
    chain = closed_chain(robot(), *motion.sample(t))
    assert np.diff(speeds, axis=1)[:, 0] == pytest.approx(chain.d1)  # as the distance of the feet changes
    assert np.mean([v[0] < 0.0 for v in speeds]) == pytest.approx(0.5, abs=0.01)


def test_it_moves_as_the_papers_matrices_integrated_by_another_solver():
    """One second from the same state, through branches and modes; the other solver takes (19) literally."""
    rb, motion, law = robot(), Harmonic(8.0), FeedbackLaw()
    loop = ClosedLoop(rb, motion, law, steps=400)
    state = loop.start()
    begin = 0.05  # the steady modes from here: no foot hangs between the branches
    while state.t == 0.0:
        after, steps = loop.cycle(state)
        state = after
    crossing = [s for s, _ in steps if s.t >= begin]
    first, last = crossing[0], crossing[-1]

    def command(t, q, dq, mode):
        value = motion.sample(np.asarray(t))
        wanted = JointReference(*(tuple(row.tolist()) for row in value))
        joints, rates = tuple(q[3:].tolist()), tuple(dq[3:].tolist())
        if mode[0] and mode[1] and law.room(joints) >= 0.0:
            (w1, w2), _ = foot_rows(q, dq)
            v = (float(w1[0] @ dq), float(w2[0] @ dq))
            return np.array(contact_tracking(law, rb, joints, rates, v, mode, contact_reference(rb, wanted)))
        return np.array(joint_tracking(law, joints, rates, wanted))

    def foot_rows(q, dq):
        return reference.foot_jacobians(rb, q, dq)

    run = reference.simulate(
        rb,
        command,
        reference.grounded_state(rb, np.array(first.q), np.array(first.dq), first.y[4]),
        first.t,
        last.t,
        mode=first.mode,
        max_step=motion.period / 400,
        rtol=1e-6,
    )
    # The other solver steps over the edges of Phi, where (19) jumps, with an error control of 1e-6 per step.
    assert run.q[-1, 3:] == pytest.approx(last.q, abs=1e-4)
    assert run.dq[-1, 3:] == pytest.approx(last.dq, abs=1e-3)
    assert run.v1[-1] == pytest.approx(last.y[4], abs=1e-4)
    assert [mode for _, mode in run.switches] == modes_after(crossing)


def modes_after(states):
    modes = [state.mode for state in states]
    return [b for a, b in itertools.pairwise(modes) if a != b]


@pytest.fixture(scope="module")
def literal():
    """(19) as it is printed, at the paper's 8 rad/s."""
    return feedback_crawl(robot(), Harmonic(8.0))


def test_the_literal_law_crawls_44_mm_a_cycle_and_repeats_after_one(literal):
    gait = literal
    assert gait.valid, gait.reason
    assert gait.step_length * 1e3 == pytest.approx(44.0, abs=0.1)
    assert gait.repeats_after == 1
    assert gait.step_length / 2.8304e-3 > 15.0  # without feedback


@pytest.mark.exhaustive  # that the steps are fine enough is seen beside the other solver too
def test_finer_steps_and_a_vanishing_hysteresis_lead_to_the_same_crawl(literal):
    finer = feedback_crawl(robot(), Harmonic(8.0), steps=500)
    assert literal.step_length == pytest.approx(finer.step_length, abs=1e-6)  # m: states within 1e-6 count as repeated
    calmer = [FeedbackLaw(hysteresis=math.radians(h)) for h in (0.4, 0.1)]
    gaps = [abs(feedback_crawl(robot(), Harmonic(8.0), law).step_length - literal.step_length) for law in calmer]
    assert gaps[1] < 0.35 * gaps[0]  # at least linear
    assert gaps[1] < 1e-4


def test_the_samples_show_a_steady_cycle(literal):
    gait = literal
    s = gait.samples
    chain = closed_chain(robot(), s.q, s.dq, np.zeros_like(s.q))
    assert s.v[:, 1] - s.v[:, 0] == pytest.approx(chain.d1, abs=1e-9)
    moved = trapezoid(s.v[:, 0], s.t)
    assert -moved == pytest.approx(gait.step_length, abs=2e-5)  # the trapezoidal rule on some 300 steps
    slips = (s.modes != 0).all(axis=1)
    inside = ((s.q > math.radians(89.99)) & (s.q < math.radians(130.01))).all(axis=1)
    assert (slips & inside)[s.tracks_contacts].all()
    assert np.average(s.tracks_contacts[:-1], weights=np.diff(s.t)) == pytest.approx(gait.contact_tracking_share)
    assert np.abs(s.q[-1] - s.q[0]).max() < 1e-5


def test_at_four_radians_per_second_it_repeats_after_two_cycles():
    assert feedback_crawl(robot(), Harmonic(4.0)).repeats_after == 2


@pytest.mark.parametrize(("omega", "words"), [(1.0, "give it a dwell"), (22.0, "leaves the ground")])
def test_where_the_law_does_not_work_it_says_why(omega, words):
    gait = feedback_crawl(robot(), Harmonic(omega))
    assert not gait.valid
    assert words in gait.reason
    assert math.isnan(gait.step_length)


def test_slow_gaits_chatter_until_a_dwell_calms_them_and_crawl_less_than_without_feedback():
    gait = feedback_crawl(robot(), Harmonic(1.0), FeedbackLaw(dwell=0.01))
    assert gait.valid, gait.reason
    assert gait.step_length < 0.5 * 0.1598147  # m, without feedback
