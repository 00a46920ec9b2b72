"""MinIAQ as the model backend's plant: cranks that are pushed, tick by tick."""

import math
from dataclasses import replace

import numpy as np
import pytest
from miniaq_cases import LOWEST, RATES, ROBOT, SPEC, cranks
from scipy.spatial.transform import Rotation

from crawler_core.types import ContactMode
from crawler_models.interface.plant import PlantFault
from crawler_models.miniaq.equations.four_bar import pins
from crawler_models.miniaq.quadruped_plant import QuadrupedPlant
from crawler_models.standing_plant import StandingPlant

NONE = np.full(4, math.nan)
TICK = 5e-3
WEIGHT = ROBOT.m * ROBOT.g


def hold_speed(plant, rates, ticks, dt=TICK):
    """A stiff speed loop; what was seen after each tick."""
    seen, wanted = [], plant.joints()[0][::3]
    for _ in range(ticks):
        q, dq, _ = plant.joints()
        wanted = wanted + rates * dt
        effort = ROBOT.B * rates + 4e-3 * (wanted - q[::3]) + 1e-4 * (rates - dq[::3])
        plant.advance(NONE, NONE, effort, dt)
        seen.append((plant.joints(), plant.base(), plant.contacts(), effort))
    return seen


@pytest.fixture(scope="module")
def trot():
    return hold_speed(QuadrupedPlant(ROBOT, cranks("trot")), RATES, 600)


def test_its_joints_are_the_robot_files():
    plant = QuadrupedPlant(ROBOT, np.full(4, LOWEST))
    assert plant.joint_names == tuple(SPEC.joint_names)
    assert plant.actuated == tuple(joint.name for joint in SPEC.actuated)
    assert [contact.foot for contact in plant.contacts()] == [foot.name for foot in SPEC.feet]
    StandingPlant(SPEC)  # the model backend can have it


def test_it_begins_standing_still_with_its_weight_on_its_feet():
    plant = QuadrupedPlant(ROBOT, np.full(4, LOWEST))
    q, dq, effort = plant.joints()
    np.testing.assert_array_equal(q[::3], LOWEST)
    assert not dq.any()
    assert not effort.any()
    base = plant.base()
    assert base.position[:2] == (0.0, 0.0)
    assert base.position[2] == pytest.approx(0.03999, abs=1e-5)
    assert base.linear == base.angular == (0.0, 0.0, 0.0)
    assert sum(contact.force[2] for contact in plant.contacts()) == pytest.approx(WEIGHT, rel=1e-9)
    assert all(contact.mode is ContactMode.STICK for contact in plant.contacts())


def test_left_alone_at_its_lowest_it_goes_on_standing():
    """A crank at the foot's lowest is at a dead centre: almost no weight turns it."""
    plant = QuadrupedPlant(ROBOT, np.full(4, LOWEST))
    for _ in range(20):
        plant.advance(NONE, NONE, np.zeros(4), TICK)
    assert np.degrees(np.abs(plant.joints()[0][::3] - LOWEST)).max() < 5.0
    assert plant.base().position[2] == pytest.approx(0.04, abs=1e-4)


def test_the_weight_turns_a_crank_that_nothing_holds():
    plant = QuadrupedPlant(ROBOT, np.full(4, LOWEST - 1.0))
    for _ in range(60):
        plant.advance(NONE, NONE, np.zeros(4), TICK)
    assert plant.base().position[2] < 0.0395


def test_passive_joints_close_the_chain_and_move_as_their_angles_do(trot):
    q = np.array([joints[0] for joints, *_ in trot])
    crank, coupler, rocker = (q[:, k::3] for k in range(3))
    p = pins(ROBOT, crank)
    np.testing.assert_allclose(p.D + ROBOT.l_3 * np.exp(-1j * (crank + coupler)), p.C, atol=1e-15)
    np.testing.assert_allclose(p.A + ROBOT.l_4 * np.exp(-1j * rocker), p.C, atol=1e-15)
    assert np.abs(np.diff(q, axis=0)).max() < 0.3  # no jumps by whole turns
    plant = QuadrupedPlant(ROBOT, cranks("trot"))
    hold_speed(plant, RATES, 30)
    before, (_, dq, _) = plant.joints()[0], plant.joints()
    plant.advance(NONE, NONE, trot[30][3], 1e-6)
    np.testing.assert_allclose((plant.joints()[0] - before) / 1e-6, dq, atol=0.02)  # rad/s; cranks accelerate


def test_pushed_at_the_papers_speed_it_trots_as_the_paper_says(trot):
    force = np.array([[contact.force[2] for contact in contacts] for _, _, contacts, _ in trot[200:]])
    assert ((force > 0.0).sum(axis=1) >= 3).mean() > 0.85
    first, last = trot[199][1].position, trot[-1][1].position
    assert math.hypot(last[0] - first[0], last[1] - first[1]) / 2.0 == pytest.approx(0.12, abs=0.02)  # m/s


def test_no_impulse_is_lost(trot):
    """What the ground gave in each tick is the body's change of momentum."""
    v = np.array([base.linear for _, base, _, _ in trot])
    force = np.array([[contact.force for contact in contacts] for _, _, contacts, _ in trot]).sum(axis=1)
    change = np.diff(v, axis=0) / TICK + [0.0, 0.0, ROBOT.g]
    np.testing.assert_allclose(force[1:], ROBOT.m * change, atol=1e-4)  # N, of 0.23: by Simpson's rule


def test_a_crank_obeys_its_own_equation_where_its_foot_is_in_the_air():
    plant = QuadrupedPlant(ROBOT, cranks("trot"))
    (lifted,) = (k for k, contact in enumerate(plant.contacts()) if contact.mode is ContactMode.OPEN)
    effort = np.zeros(4)
    effort[lifted] = 1e-3
    plant.advance(NONE, NONE, effort, 1e-3)
    pace = ROBOT.B / ROBOT.J
    assert plant.contacts()[lifted].mode is ContactMode.OPEN
    wanted = 1e-3 / ROBOT.B * (1.0 - math.exp(-pace * 1e-3))
    assert plant.joints()[1][3 * lifted] == pytest.approx(wanted, rel=1e-5)


def test_modes_say_which_way_a_foot_slides_along_the_heading(trot):
    seen = set()
    for _, base, contacts, _ in trot:
        ahead = Rotation.from_quat(base.quaternion, scalar_first=True).apply([1.0, 0.0, 0.0])[:2]
        for contact in contacts:
            seen.add(contact.mode)
            if contact.mode is ContactMode.OPEN:
                assert contact.force[2] <= 0.0
                continue
            slides = math.hypot(*contact.slip_velocity[:2])
            assert (contact.mode is ContactMode.STICK) == (slides < ROBOT.V_s)
            if slides >= ROBOT.V_s:
                forward = np.dot(ahead, contact.slip_velocity[:2]) > 0.0
                assert contact.mode is (ContactMode.SLIP_POS if forward else ContactMode.SLIP_NEG)
    assert seen == {ContactMode.OPEN, ContactMode.STICK, ContactMode.SLIP_POS, ContactMode.SLIP_NEG}


def test_the_base_turns_as_its_attitude_does():
    plant = QuadrupedPlant(ROBOT, cranks("trot"))
    hold_speed(plant, RATES * [-1.0, 1.0, -1.0, 1.0], 120)
    before = plant.base()
    plant.advance(NONE, NONE, np.zeros(4), 1e-5)
    after = plant.base()
    first, last = (Rotation.from_quat(base.quaternion, scalar_first=True) for base in (before, after))
    turned = (last * first.inv()).as_rotvec() / 1e-5
    mean = 0.5 * (np.array(before.angular) + np.array(after.angular))
    np.testing.assert_allclose(turned, mean, atol=1e-4)
    moved = (np.array(after.position) - np.array(before.position)) / 1e-5
    np.testing.assert_allclose(moved, 0.5 * (np.array(before.linear) + np.array(after.linear)), atol=1e-5)


def test_two_runs_are_equal_to_the_bit(trot):
    again = hold_speed(QuadrupedPlant(ROBOT, cranks("trot")), RATES, 200)
    for (joints, base, contacts, _), (joints_2, base_2, contacts_2, _) in zip(trot[:200], again, strict=True):
        assert all((a == b).all() for a, b in zip(joints, joints_2, strict=True))
        assert (base, contacts) == (base_2, contacts_2)


def test_the_length_of_the_tick_does_not_matter():
    ends = []
    for dt in (1e-3, 1e-2):
        plant = QuadrupedPlant(ROBOT, cranks("trot"))
        for _ in range(round(0.2 / dt)):
            plant.advance(NONE, NONE, np.full(4, 3e-3), dt)
        ends.append(np.concatenate([plant.joints()[0], plant.base().position]))
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-4)  # rad: steps end elsewhere, each with an error of 1e-6


def test_reset_begins_anew_like_a_new_one():
    plant = QuadrupedPlant(ROBOT, cranks("trot"))
    hold_speed(plant, RATES, 20)
    plant.reset(np.full(4, LOWEST))
    fresh = QuadrupedPlant(ROBOT, np.full(4, LOWEST))
    assert plant.base() == fresh.base()
    np.testing.assert_array_equal(hold_speed(plant, RATES, 20)[-1][0][0], hold_speed(fresh, RATES, 20)[-1][0][0])


def test_a_fall_is_a_fault_that_leaves_the_state_as_it_was():
    plant = QuadrupedPlant(replace(ROBOT, y_left=0.008), cranks("pace"))
    with pytest.raises(PlantFault, match="tips over") as fault:
        hold_speed(plant, RATES, 600)
    assert "gait.frequency" in fault.value.remedy
    fallen = plant.base()
    with pytest.raises(PlantFault, match="tips over"):
        plant.advance(NONE, NONE, np.zeros(4), 1.0)
    assert plant.base() == fallen


@pytest.mark.parametrize("effort", [[0.0] * 3, [math.nan] * 4])
def test_efforts_that_are_none_are_refused(effort):
    plant = QuadrupedPlant(ROBOT, cranks("trot"))
    before = plant.base()
    with pytest.raises(ValueError, match="four finite numbers are needed"):
        plant.advance(NONE, NONE, effort, TICK)
    with pytest.raises(ValueError, match="time step"):
        plant.advance(NONE, NONE, np.zeros(4), 0.0)
    assert plant.base() == before


def test_what_cannot_stand_or_turn_is_refused():
    plant = QuadrupedPlant(ROBOT, cranks("trot"))
    before = plant.base()
    with pytest.raises(ValueError, match="four finite numbers"):
        plant.reset([math.nan] * 4)
    assert plant.base() == before
    with pytest.raises(ValueError, match="cannot turn all the way round"):
        QuadrupedPlant(replace(ROBOT, l_2=0.02), cranks("trot"))
    with pytest.raises(ValueError, match="tips over"):
        QuadrupedPlant(replace(ROBOT, x_hind=0.0), cranks("trot"))
