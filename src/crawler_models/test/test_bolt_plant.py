"""BOLT as the model backend's plant, driven as the ring drives it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from bolt_runs import LAW, LEG, SPEC, START

from crawler_core.types import ContactMode
from crawler_models.bolt.bolt_plant import BoltPlant
from crawler_models.bolt.equations.six_bar import passive_angles, pins
from crawler_models.bolt.model import plant as make_plant
from crawler_models.bolt.simulation.running import Running
from crawler_models.bolt.simulation.sampled_run import simulate_sampled
from crawler_models.interface.plant import PlantFault

NONE = np.array([math.nan])
TICK = 1e-3


def push(plant, effort, dt=TICK):
    plant.advance(NONE, NONE, [effort], dt)


def drive(plant, ticks):
    """The law in the loop: joints, base and contact of every tick."""
    law = Running(LAW, 120.0, 1350.0)
    law.begin(0.0, START.angle, stance=False)
    seen = []
    for k in range(ticks):
        q, dq, _ = plant.joints()
        (contact,) = plant.contacts()
        (law.in_air if contact.mode is ContactMode.OPEN else law.touch_down)(k * TICK, float(q[0]))
        push(plant, law.torque(k * TICK, float(q[0]), float(dq[0])))
        seen.append((plant.joints(), plant.base(), plant.contacts()[0]))
    return seen


@pytest.fixture(scope="module")
def seen():
    return drive(make_plant(SPEC), 2000)


def test_it_starts_as_the_robot_file_says():
    plant = make_plant(SPEC)
    q, dq, effort = plant.joints()
    base, (contact,) = plant.base(), plant.contacts()
    crank = SPEC.actuated[0]
    assert (q[0], dq[0], effort[0]) == (crank.home, crank.home_velocity, 0.0)
    assert base.linear[::2] == pytest.approx((SPEC.start.linear[0], SPEC.start.linear[2]), abs=1e-12)
    foot = pins(LEG, crank.home).F
    assert base.position[2] + foot.imag == pytest.approx(SPEC.start.height, abs=1e-12)
    assert base.position[0] == pytest.approx(0.0, abs=1e-15)
    assert contact.mode is ContactMode.OPEN
    assert contact.force == (0.0, 0.0, 0.0)


def test_driven_tick_by_tick_it_is_the_whole_runs_simulation_to_the_bit(seen):
    run = simulate_sampled(LEG, LAW, START, 5, traced=True)
    n = min(len(run.trace), len(seen))
    assert n > 1800
    q1, tau = [s[0][0][0] for s in seen[:n]], [s[0][2][0] for s in seen[:n]]
    np.testing.assert_array_equal(q1, run.traced("q1")[:n])
    np.testing.assert_array_equal(tau, run.traced("tau")[:n])
    np.testing.assert_array_equal([s[2].force[2] for s in seen[:n]], run.traced("F_N")[:n])
    np.testing.assert_allclose([s[1].position[0] for s in seen[:n]], run.traced("x")[:n], atol=1e-12)


def test_two_runs_are_equal_to_the_bit(seen):
    again = drive(make_plant(SPEC), 400)
    for (joints, base, contact), (joints_2, base_2, contact_2) in zip(seen[:400], again, strict=True):
        assert all((a == b).all() for a, b in zip(joints, joints_2, strict=True))
        assert (base, contact) == (base_2, contact_2)


def test_impulses_are_not_lost(seen):
    """What the ground gave in all is what the leg's momentum and its weight ask for."""
    mass, g = LEG.mass, LEG.g
    given = np.array([[s[2].force[0], s[2].force[2]] for s in seen]).sum(axis=0) * TICK
    plant = make_plant(SPEC)
    before = momentum(plant)
    drive(plant, len(seen))
    change = momentum(plant) - before
    assert given[0] == pytest.approx(change.real, abs=1e-9)
    assert given[1] == pytest.approx(change.imag + mass * g * len(seen) * TICK, rel=1e-9)


def momentum(plant):
    """From the base's and the joints' velocities, by moving the pins' masses a little."""
    q, dq, _ = plant.joints()
    base = plant.base()

    def moment(q1):
        p = pins(LEG, q1)

        def at(a, b, c):
            return a + c * (b - a) / abs(b - a)

        return (
            LEG.m_2 * at(p.D, p.B, LEG.c_2)
            + LEG.m_3 * at(p.C, p.G, LEG.c_3)
            + LEG.m_4 * at(p.A, p.E, LEG.c_4)
            + LEG.m_5 * at(p.E, p.F, LEG.c_5)
        )

    h = 1e-5
    slope = (8.0 * (moment(q[0] + h) - moment(q[0] - h)) - moment(q[0] + 2 * h) + moment(q[0] - 2 * h)) / (12.0 * h)
    return LEG.mass * complex(base.linear[0], base.linear[2]) + dq[0] * slope


def test_passive_joints_close_the_loops_and_have_no_jumps(seen):
    q = np.array([s[0][0] for s in seen])
    np.testing.assert_allclose(np.exp(1j * q[:, 1:]), np.exp(1j * passive_angles(LEG, q[:, 0])), atol=1e-12)
    dq = np.array([s[0][1] for s in seen])
    steps = np.diff(q, axis=0)
    np.testing.assert_allclose(steps, 0.5 * TICK * (dq[1:] + dq[:-1]), atol=2e-4)
    assert q[-1, 0] < -20.0


def test_the_foot_sticks_flies_and_slips_and_its_friction_keeps_to_the_cone(seen):
    modes = {s[2].mode for s in seen}
    assert {ContactMode.OPEN, ContactMode.STICK} <= modes
    for _, _, contact in seen:
        assert abs(contact.force[0]) <= 0.8 * contact.force[2] + 1e-6
        assert (contact.mode is ContactMode.OPEN) == (contact.force[2] == 0.0)
        if contact.mode is ContactMode.STICK and contact.force[2] > 100.0:
            assert abs(contact.slip_velocity[0]) < 1e-6
    plant = BoltPlant(replace(LEG, mu=0.05), START)
    assert {s[2].mode for s in drive(plant, 800)} & {ContactMode.SLIP_POS, ContactMode.SLIP_NEG}


def test_a_reset_begins_anew_with_the_crank_elsewhere():
    plant = make_plant(SPEC)
    drive(plant, 50)
    plant.reset([1.0])
    assert plant.joints()[0][0] == 1.0
    assert plant.joints()[1][0] == START.rate


def test_what_it_cannot_do_is_a_sentence_and_changes_nothing():
    soft = BoltPlant(replace(LEG, k=50.0, d=1.0), START)
    with pytest.raises(PlantFault, match=r"The leg falls: .*\.") as fault:
        drive(soft, 3000)
    assert fault.value.remedy
    before = soft.base()
    with pytest.raises(PlantFault, match="falls"):
        push(soft, 0.0)
    assert soft.base() == before
    plant = make_plant(SPEC)
    with pytest.raises(ValueError, match="finite"):
        push(plant, math.nan)
    with pytest.raises(ValueError, match="time step"):
        push(plant, 0.0, dt=0.0)
    with pytest.raises(ValueError, match="does not close"):
        BoltPlant(replace(LEG, l_2=0.3), START)
